import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformerStyleToClass } from '@shikijs/transformers'
import { defineConfig } from 'vitepress'
import { anchorOf, readSidebar } from '../../scripts/docs/site-map.ts'

// The gateway serves the site without inline styles, so the colours of code become classes.
const codeColours = transformerStyleToClass({ classPrefix: 'code-' })

const sidebar = readSidebar()
const firstOf = (title: string) => sidebar.find(({ text }) => text === title)?.items[0]?.link ?? '/'

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default defineConfig({
  title: 'Turnpike',
  description: 'A model gateway: one HTTP service in front of many model suppliers.',
  lang: 'en',
  base: '/guide/',
  cleanUrls: true,
  // Otherwise the theme inserts an inline style at every change of the colours.
  appearance: { disableTransition: false },
  metaChunk: true,
  // The search index is one file.
  vite: { build: { chunkSizeWarningLimit: 1_500 } },
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  head: [
    ['link', { rel: 'icon', href: '/guide/mark.svg', type: 'image/svg+xml' }],
    ['link', { rel: 'stylesheet', href: '/guide/code.css' }],
  ],
  markdown: {
    // Headings such as `GET /accounts/{id}` are text, not attributes.
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    codeTransformers: [codeColours],
    config: (markdown) => markdown.core.ruler.push('alignment', alignByClass),
  },
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'code.css'), codeColours.getCSS()),
  themeConfig: {
    logo: '/mark.svg',
    sidebar,
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guide', link: firstOf('Start here') },
      { text: 'Reference', link: firstOf('Reference') },
      { text: 'Compare', link: firstOf('Comparisons') },
      { text: 'FAQ', link: firstOf('Questions') },
    ],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { combineWith: 'AND', boost: { title: 6, titles: 2, text: 1 } } },
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})

interface TableToken {
  readonly type: string
  attrs: [string, string][] | null
}

/** Columns are aligned by a class instead of an inline style. */
function alignByClass({ tokens }: { tokens: TableToken[] }): void {
  for (const token of tokens) {
    if (token.type !== 'td_open' && token.type !== 'th_open') continue
    token.attrs =
      token.attrs?.map(([name, value]) =>
        name === 'style' ? ['class', value.replace('text-align:', 'align-')] : [name, value],
      ) ?? null
  }
}
