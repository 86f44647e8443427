import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const teal: MantineColorsTuple = [
  '#e7f7f5',
  '#d2ece9',
  '#a6d9d3',
  '#76c5bc',
  '#4fb4a9',
  '#33a99d',
  '#1b9488',
  '#0b7a75',
  '#09655f',
  '#06504b',
]

/** Darker than Mantine's, so that white text on it is readable. */
const red: MantineColorsTuple = [
  '#fff0f0',
  '#ffdede',
  '#ffbcbc',
  '#ff9494',
  '#fa6b6b',
  '#ef4a4a',
  '#df3434',
  '#c92a2a',
  '#a82121',
  '#861919',
]

/** Neutral with a hint of the accent's hue, so that large dark areas do not look dead. */
const dark: MantineColorsTuple = [
  '#e4e8ea',
  '#c3cacd',
  '#a5aeb2',
  '#78848a',
  '#414b51',
  '#2f383d',
  '#232b30',
  '#181e22',
  '#12171a',
  '#0c1012',
]

const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, system-ui, sans-serif'
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'

// A dialog header must not be the page's banner landmark.
const PLAIN_HEADER = { header: { role: 'presentation' } }
const DIALOG = {
  attributes: PLAIN_HEADER,
  overlayProps: { backgroundOpacity: 0.4 },
  closeButtonProps: { 'aria-label': 'Close' },
}

export const theme = createTheme({
  colors: { teal, red, dark },
  primaryColor: 'teal',
  primaryShade: 7,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  headings: { fontFamily: FONT, fontWeight: '650' },
  respectReducedMotion: true,
  focusRing: 'auto',
  // Plain objects: importing the components would load all of them with the first page.
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Button: { defaultProps: { fw: 550 } },
    Card: { defaultProps: { withBorder: true, padding: 'lg' } },
    Paper: { defaultProps: { radius: 'md' } },
    Drawer: { defaultProps: { position: 'right', size: 'lg', ...DIALOG } },
    // The placeholder is not an item, and a menu can only contain items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, ...DIALOG } },
    Portal: { defaultProps: { target: '#overlays' } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } },
  },
})

/** Replaces Mantine colours with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a666b',
    '--mantine-color-placeholder': '#6b767b',
    '--mantine-color-text': '#14191b',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-red-light': '#fff1f1',
    '--mantine-color-yellow-light': '#fff8dc',
    '--mantine-color-yellow-light-color': '#7a4f00',
    '--mantine-color-orange-light-color': '#8f3b00',
  },
  dark: {
    '--mantine-color-dimmed': '#9aa5aa',
    '--mantine-color-placeholder': '#8b969b',
    '--mantine-color-body': 'var(--mantine-color-dark-7)',
    '--mantine-color-error': '#ff8787',
    // Mantine's tinted areas are nearly black on our dark background.
    ...tint('teal', { area: '51 169 157', text: '#7fd0c6' }),
    ...tint('gray', { area: '165 174 178', text: '#c9d1d4' }),
    ...tint('red', { area: '255 107 107', text: '#ffa8a8' }),
    ...tint('yellow', { area: '252 196 25', text: '#ffd96b' }),
    ...tint('blue', { area: '77 171 247', text: '#91caff' }),
  },
})

/** How strongly a colour tints the area under it, and under the mouse. */
function tint(name: string, { area, text }: { readonly area: string; readonly text: string }) {
  return {
    [`--mantine-color-${name}-light`]: `rgb(${area} / 15%)`,
    [`--mantine-color-${name}-light-hover`]: `rgb(${area} / 22%)`,
    [`--mantine-color-${name}-light-color`]: text,
  }
}
