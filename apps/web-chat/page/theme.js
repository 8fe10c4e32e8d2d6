// Runs before the page is drawn, so that a dark page does not flash light.
const THEMES = ['system', 'light', 'dark']

/** Returns the theme that the person chose; by default that of the system. */
const chosenTheme = () => {
  const chosen = localStorage.getItem('theme')
  return THEMES.includes(chosen) ? chosen : 'system'
}

const showTheme = () => (document.documentElement.dataset.theme = chosenTheme())

showTheme()
document.addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme')
  const label = () => {
    const theme = chosenTheme()
    button.textContent = { system: '◐', light: '☀', dark: '☾' }[theme]
    button.title = `Theme: ${theme}`
    button.ariaLabel = button.title
  }
  button.addEventListener('click', () => {
    localStorage.setItem('theme', THEMES[(THEMES.indexOf(chosenTheme()) + 1) % THEMES.length])
    showTheme()
    label()
  })
  label()
})
