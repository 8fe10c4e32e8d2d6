import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'

const KEY = 'studio-theme'

const systemTheme = (): string => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

/** Switches between light and dark; the system's choice holds until a person chooses. */
export function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState(() => localStorage.getItem(KEY) ?? '')
  // Before the first paint, so that a dark page does not flash light.
  useLayoutEffect(() => {
    if (theme) document.documentElement.dataset['theme'] = theme
  }, [theme])
  const shown = theme || systemTheme()
  const other = shown === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      class="quiet square"
      aria-label={`Switch to ${other} colours`}
      title={`Switch to ${other} colours`}
      onClick={() => {
        localStorage.setItem(KEY, other)
        setTheme(other)
      }}
    >
      <Icon name={shown === 'dark' ? 'sun' : 'moon'} />
    </button>
  )
}
