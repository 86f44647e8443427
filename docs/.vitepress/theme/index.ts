// The theme without its fonts: the system's own are faster and load from nowhere.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './site.css'

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default DefaultTheme
