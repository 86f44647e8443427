// A classic script that runs before the first paint, so that a dark page never flashes white.
const kept = localStorage.getItem('mantine-color-scheme-value')
const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
const isDark = kept === 'dark' || (kept !== 'light' && prefersDark)
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')

export {}
