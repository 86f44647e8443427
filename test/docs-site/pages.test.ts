import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fillErrorCodes } from '../../scripts/docs/error-table.ts'
import { fillHeaders } from '../../scripts/docs/headers-table.ts'
import { fillSettings } from '../../scripts/docs/settings-table.ts'
import { anchorOf, DOCS, readSidebar } from '../../scripts/docs/site-map.ts'

const ROOT = join(DOCS, '..')
const HOME = 'index.md'
const OUR_HEADER =
  /'(x-gateway-[a-z-]+|x-ratelimit-(?:limit|remaining|reset)-[a-z]+|x-should-retry|retry-after|x-request-id|x-session-id|x-agent-id|turnpike-(?:signature|stream|batch))'/g

/** Every page of the site, by its path under `docs/`. */
const PAGES = new Map(
  [...new Bun.Glob('**/*.md').scanSync(DOCS)].map((path) => [path, readFileSync(join(DOCS, path), 'utf8')]),
)
/** Pages that are read in the repository only. */
const ROOT_PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']

test('every page is in the sidebar, so that each has a way to the next', () => {
  const listed = readSidebar()
    .flatMap(({ items }) => items.map(({ link }) => link.slice(1)))
    .map((link) => (link.endsWith('/') ? `${link}README.md` : `${link}.md`))
  const pages = [...PAGES.keys()].filter((path) => path !== HOME)
  expect(listed.toSorted()).toEqual(pages.toSorted())
})

test('docs/reference/settings.md lists the settings as they are; `npm run docs` writes it', () => {
  const page = PAGES.get('reference/settings.md') ?? ''
  expect(fillSettings(page)).toBe(page)
  expect(page).toContain(
    '| `PORT` | 8080 | Port to listen on. 0 chooses a free one. *Allowed: 0 to 65535.* |',
  )
  expect(page).toContain('| openai | `OPENAI_API_KEY` |')
})

test('docs/reference/headers.md names every header of ours that the code has; `npm run docs` writes its table', () => {
  const page = PAGES.get('reference/headers.md') ?? ''
  expect(fillHeaders(page)).toBe(page)
  const sources = [...new Bun.Glob('src/**/*.ts').scanSync(ROOT)].filter((path) => !path.endsWith('.test.ts'))
  const named = sources.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(OUR_HEADER)].map(([, name = '']) => name),
  )
  expect(new Set(named).size).toBeGreaterThan(12)
  expect([...new Set(named)].filter((name) => !page.includes(`\`${name}`))).toEqual([])
})

test('docs/reference/errors.md lists all codes; `npm run docs` writes the table', () => {
  const page = PAGES.get('reference/errors.md') ?? ''
  expect(fillErrorCodes(page)).toBe(page)
  expect(page).toContain('| [`rate_limit_exceeded`](#rate_limit_exceeded) | 429 |')
})

/** Text outside fenced code, where a bracket is a link. */
function proseOf(text: string): string {
  return text
    .replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '))
}

/** The anchors that VitePress and GitHub give to headings. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  )
  const own = [...prose.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id)
  return new Set([...headings, ...own])
}

test('links between pages lead to a page and to a heading that exist', () => {
  const dead: string[] = []
  const pages = new Map([
    ...[...PAGES].map(([path, text]) => [join(DOCS, path), text] as const),
    ...ROOT_PAGES.map((path) => [join(ROOT, path), readFileSync(join(ROOT, path), 'utf8')] as const),
  ])
  for (const [path, text] of pages) {
    for (const [, link = ''] of proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|mailto:|\/)/.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : resolve(dirname(path), file)
      const found = pages.get(target)
      // What lies outside of docs/ is not on the site.
      const isReachable = !path.startsWith(DOCS) || target.startsWith(DOCS)
      const isThere = isReachable && (found !== undefined || existsSync(target))
      const isMissing = anchor !== undefined && found !== undefined && !anchorsOf(found).has(anchor)
      if (!isThere || isMissing) dead.push(`${relative(ROOT, path)}: ${link}`)
    }
  }
  expect(dead).toEqual([])
})

test('links of the home page and absolute links lead to pages', () => {
  const home = PAGES.get(HOME) ?? ''
  const links = [...home.matchAll(/^ +link: \/(\S+)$/gm)].map(([, link]) => `${link}.md`)
  expect(links.length).toBeGreaterThan(5)
  expect(links.filter((link) => !PAGES.has(link))).toEqual([])
})
