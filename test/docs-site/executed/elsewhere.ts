import type { CommandBlock } from './command-blocks.ts'

/** Blocks that this test does not run, and why not, or what runs them. */
interface Elsewhere {
  readonly pages: RegExp
  /** Found in the commands; absent: all blocks of the page. */
  readonly commands?: RegExp
  readonly because: string
}

export const ELSEWHERE: readonly Elsewhere[] = [
  { pages: /./, commands: /npm ci/, because: 'the tests themselves, and every check of a release, begin so' },
  {
    pages: /./,
    commands: /\bdocker\b|\bkubectl\b/,
    because: 'test/deploy reads these files; there is no engine here',
  },
  { pages: /./, commands: /systemctl/, because: 'test/deploy reads the unit; there is no systemd here' },
  { pages: /operator-api\.md$/, because: 'test/api-docs/operator-guide.test.ts' },
  { pages: /clients\/tasks\.md$/, because: 'test/docs-site/snippets.test.ts, in four languages' },
  {
    pages: /clients\/(agents|guides)\.md$/,
    because: '`npm run agents` and `npm run sdks`, which install them',
  },
  { pages: /clients\/sdks\.md$/, because: 'it is a check of its own' },
  { pages: /reference\/benchmarks\.md$/, because: 'nothing timed is part of the tests' },
  { pages: /./, commands: /^npx turnpike$|install -m 0755/m, because: '`npm run package-check`' },
  { pages: /./, commands: /npm start$/m, because: 'test/supply starts with the keys of vendors' },
  {
    pages: /./,
    commands: /turnpike start$/m,
    because: 'test/deploy and `npm run package-check` start the program',
  },
  {
    pages: /operations\/tls\.md$/,
    because: 'settings of a proxy; test/deploy has one in front of the gateway',
  },
]

export function runsElsewhere({ page, script }: CommandBlock, { pages, commands }: Elsewhere): boolean {
  return pages.test(page) && (commands === undefined || commands.test(script))
}
