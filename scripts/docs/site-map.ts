import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DOCS = join(import.meta.dirname, '../../docs')

/** A chapter of the site: a folder of `docs/`, with the pages that come first. */
interface Chapter {
  readonly title: string
  readonly folder: string
  /** Names without `.md`, in reading order. A name without a file is skipped; files that are not named come last. */
  readonly first: readonly string[]
  /** Shown open on every page. The others open when you read one of their pages. */
  readonly isOpen?: true
}

/** The reading order of the site. */
const CHAPTERS: readonly Chapter[] = [
  { title: 'Start here', folder: 'start', first: ['quickstart', 'real-suppliers'], isOpen: true },
  { title: 'Concepts', folder: 'concepts', first: ['how-it-works', 'glossary'], isOpen: true },
  {
    title: 'Clients and agents',
    folder: 'clients',
    first: [
      'tasks',
      'guides',
      'agents',
      'wire',
      'responses',
      'images',
      'embeddings',
      'audio',
      'rerank',
      'moderations',
    ],
  },
  {
    title: 'Suppliers and models',
    folder: 'suppliers',
    first: ['suppliers', 'supply-file', 'models', 'aliases', 'catalog', 'routing', 'byok'],
  },
  {
    title: 'Limits and money',
    folder: 'money',
    first: ['limits', 'keys', 'tiers', 'prices', 'rate-cards', 'ledger', 'payments', 'usage', 'exports'],
  },
  { title: 'Console', folder: 'console', first: ['console', 'console-customers', 'console-operators'] },
  {
    title: 'Operations',
    folder: 'operations',
    first: ['checklist', 'install', 'deploy', 'tls', 'sizing', 'upgrades', 'backups', 'scaling', 'workers'],
  },
  { title: 'Monitoring', folder: 'monitoring', first: ['metrics', 'dashboards', 'alerts', 'logs'] },
  {
    title: 'Reference',
    folder: 'reference',
    first: ['settings', 'cli', 'errors', 'headers', 'operator-api', 'benchmarks'],
  },
  { title: 'Comparisons', folder: 'comparisons', first: ['overview', 'first-hour', 'litellm', 'bifrost'] },
  { title: 'Migration', folder: 'migration', first: ['litellm', 'openrouter', 'portkey', 'bifrost'] },
  { title: 'Questions', folder: 'questions', first: ['faq'] },
  { title: 'Architecture', folder: 'architecture', first: ['overview'] },
  { title: 'Architecture decisions', folder: 'decisions', first: ['README'] },
]

export interface SidebarPage {
  readonly text: string
  readonly link: string
}

export interface SidebarChapter {
  readonly text: string
  readonly collapsed: boolean
  readonly items: SidebarPage[]
}

/** Every page of every chapter. A page is in the sidebar as soon as its file exists. */
export function readSidebar(): SidebarChapter[] {
  return CHAPTERS.filter(({ folder }) => existsSync(join(DOCS, folder))).map((chapter) => ({
    text: chapter.title,
    collapsed: chapter.isOpen !== true,
    items: namesOf(chapter).map((name) => ({
      text: titleOf(join(DOCS, chapter.folder, `${name}.md`)),
      link: `/${chapter.folder}/${name === 'README' ? '' : name}`,
    })),
  }))
}

function namesOf({ folder, first }: Chapter): string[] {
  const names = readdirSync(join(DOCS, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .toSorted()
  return [...first.filter((name) => names.includes(name)), ...names.filter((name) => !first.includes(name))]
}

/** The first heading, as plain text. */
function titleOf(path: string): string {
  const heading = /^# (.*)$/m.exec(readFileSync(path, 'utf8'))?.[1]
  if (heading === undefined) throw new Error(`${path} has no heading`)
  return heading.replaceAll('`', '')
}

/** The anchor of a heading, as repositories name it too, so that links work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
