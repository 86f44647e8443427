// Before the page is drawn, so that it does not flash. The viewer's style sheet is dark below this class.
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
