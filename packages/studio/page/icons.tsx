import type { JSX } from 'preact'

/** Lines of the icons, in a square of 16. */
const LINES = {
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  chat: 'M2.5 4.5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H7l-3 3v-3a2 2 0 0 1-1.5-2z',
  model: 'M8 1.8l1.5 4.7 4.7 1.5-4.7 1.5L8 14.2 6.5 9.5 1.8 8l4.7-1.5z',
  tool: 'M10 2.5a3.5 3.5 0 0 0-3.3 4.6L2.5 11.3v2.2h2.2l4.2-4.2A3.5 3.5 0 0 0 13.3 5L11 7.2 8.8 5z',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  person: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.7c.6-2.6 2.7-4 5.2-4s4.6 1.4 5.2 4',
  search: 'M8 2.5v3.5M8 6L4 9.5M8 6l4 3.5M4 9.5v3M12 9.5v3',
  note: 'M8 7.3v4M8 4.6v.1M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4z',
  fork: 'M4 2.5v11M4 8.5c0-2 1.5-3 4-3h1.5a2.5 2.5 0 0 0 2.5-2.5M9.8 4.8L12 2.6l2.2 2.2',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13.5 9.7A6 6 0 0 1 6.3 2.5a5.8 5.8 0 1 0 7.2 7.2z',
  again: 'M13 8a5 5 0 1 1-1.5-3.6M13.2 2v3h-3',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  back: 'M10 3L5 8l5 5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  down: 'M3.5 6L8 10.5 12.5 6',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
  send: 'M2.5 8h10M8.5 3.5L13 8l-4.5 4.5',
  stop: 'M4 4h8v8H4z',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.3 5.3v.1',
  attach: 'M13.2 7.4l-5.3 5.3a3.2 3.2 0 0 1-4.5-4.5l5.6-5.6a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l5-5',
  file: 'M4 1.8h5l3.2 3.2v9.2H4zM8.8 1.8v3.4h3.4',
  clock: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 4.5V8l2.5 1.5',
} as const

/** Name of an icon. */
export type IconName = keyof typeof LINES

/** Draws an icon of one line; it says nothing to screen readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={LINES[name]} />
    </svg>
  )
}
