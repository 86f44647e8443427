// Runs before the first paint, as a classic script of its own, so that a dark page never flashes white.
const kept = localStorage.getItem('mantine-color-scheme-value')
const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
const isDark = kept === 'dark' || (kept !== 'light' && prefersDark)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')

export {}
