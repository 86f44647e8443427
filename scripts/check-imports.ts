import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** What one folder of `src/` may import. Its own files are always allowed and therefore never listed. */
export interface ImportRule {
  /** `x/*` stands for each folder directly under `x`, and those may not import one another. */
  readonly folder: string
  readonly imports: readonly string[]
  /** Reachable by `import type` only: the shape may be known, the code may not be called. */
  readonly importsTypes: readonly string[]
}

const CORE = [
  'rules/*',
  'protocols',
  'protocols/*',
  'suppliers',
  'suppliers/*',
  'conversation',
  'vocabulary',
  'wire',
  'errors',
]
const PORT_TYPES = ['rules/*', 'protocols', 'suppliers', 'wire']

/** The whole rule. ARCHITECTURE.md shows the same table (`--table` prints it). */
export const IMPORT_RULES: readonly ImportRule[] = [
  rule('main', ['everything']),
  rule('app', ['everything']),
  rule('cli', ['everything']),
  rule('serve', ['serve/ports', ...CORE], ['manage/ports']),
  rule('manage', ['serve', 'serve/ports', 'manage/ports', ...CORE]),
  rule('serve/ports', ['vocabulary', 'conversation', 'errors'], PORT_TYPES),
  rule('manage/ports', ['serve/ports', 'vocabulary', 'conversation', 'errors'], PORT_TYPES),
  rule(
    'edges/*',
    ['serve/ports', 'manage/ports', 'rules/*', 'vocabulary', 'conversation', 'wire', 'errors'],
    ['protocols', 'protocols/*', 'suppliers', 'suppliers/*'],
  ),
  rule('rules/*', ['vocabulary', 'conversation', 'errors']),
  rule('protocols', ['protocols/*', 'conversation', 'vocabulary', 'validation', 'wire', 'errors']),
  rule('protocols/*', ['protocols', 'conversation', 'vocabulary', 'validation', 'wire', 'errors']),
  rule('suppliers', ['suppliers/*', 'vocabulary', 'wire', 'errors']),
  rule('suppliers/*', ['suppliers', 'vocabulary', 'wire', 'errors']),
  rule('vocabulary', ['conversation', 'errors']),
  rule('conversation', ['errors']),
  rule('validation', ['wire', 'errors']),
  rule('wire', ['errors']),
  rule('errors', []),
  rule('sandbox', ['wire']),
]

// 'messages', 'responses' and 'images' are also ordinary field names, so only the unmistakable names are searched.
const PROTOCOL_NAMES = ['chat-completion', 'content-generation']
// Test data lives in tests and in `testing/` folders, and names whatever the tests need.
const IS_TEST = /(\.test\.tsx?$|\/testing\/)/
const KNOWS_PROTOCOL_NAMES = /^(app\/|cli\/|protocols\/|suppliers\/|sandbox\/|vocabulary\/words\.ts$)/

interface Import {
  readonly target: string
  readonly line: number
  readonly typeOnly: boolean
}

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

function rule(folder: string, imports: readonly string[], importsTypes: readonly string[] = []): ImportRule {
  return { folder, imports, importsTypes }
}

/** Every violation found under a source root, one line each. */
export function checkImports(root: string): string[] {
  const files = readSources(root)
  return [
    ...files.flatMap((file) => checkFolderRule(file)),
    ...findCycles(files),
    ...files.flatMap((file) => checkProtocolNames(file)),
  ]
}

// Imports nothing, so that a browser loads the words and none of the gateway.
const WORDS = '../src/vocabulary/words.ts'

/**
 * The console runs in browsers: of the gateway it may know types and words and nothing else. Its tests may compare it
 * with the gateway's own code.
 */
export function checkConsoleImports(root: string): string[] {
  return readSources(root)
    .filter(({ path }) => !path.startsWith('dist/') && !IS_TEST.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target, typeOnly }) =>
            target.startsWith('..') && target !== WORDS && !(typeOnly && target.startsWith('../src/')),
        )
        .map(
          ({ target, line }) =>
            `${path}:${line} imports ${target}: the console may import types and words of src only`,
        ),
    )
}

/** The table as it stands in ARCHITECTURE.md. */
export function renderImportTable(): string {
  const rows = IMPORT_RULES.map(({ folder, imports, importsTypes }) => {
    const types = importsTypes.map((name) => `${name} (types)`)
    return `| \`${folder}\` | ${[...imports, ...types].join(', ') || 'nothing'} |`
  })
  return ['| Folder | May import |', '|---|---|', ...rows].join('\n')
}

function readSources(root: string): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, imports: scanImports(path, text) }
    })
}

const STATIC_IMPORT = /^[ \t]*(?:import|export)\s+(type\s)?(?:[\w$*\s{},]+?\sfrom\s*|)(['"])([^'"\n]+)\2/gm
const DYNAMIC_IMPORT = /\bimport\(\s*(['"])([^'"\n]+)\1/g

// A regular expression rather than the transpiler's scan, because that one no longer sees `import type`.
function scanImports(path: string, text: string): Import[] {
  const code = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, (comment) => comment.replace(/[^\n]/g, ' '))
  const found = [
    ...[...code.matchAll(STATIC_IMPORT)].map((match) => ({
      typeOnly: match[1] !== undefined,
      specifier: match[3] ?? '',
      end: match.index + match[0].length,
    })),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map((match) => ({
      typeOnly: false,
      specifier: match[2] ?? '',
      end: match.index + match[0].length,
    })),
  ]
  return found
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ typeOnly, specifier, end }) => ({
      typeOnly,
      target: normalize(join(dirname(path), specifier)),
      line: code.slice(0, end).split('\n').length,
    }))
}

function checkFolderRule(file: SourceFile): string[] {
  const from = folderOf(file.path)
  const importRule = IMPORT_RULES.find(({ folder }) => folder === patternOf(from))
  if (importRule === undefined) return [`${file.path}:1 folder ${from} has no row in IMPORT_RULES`]
  return file.imports
    .filter((imported) => !isSharedByTests(file, imported) && !isAllowed(from, importRule, imported))
    .map(({ target, line, typeOnly }) => {
      const kind = typeOnly ? 'imports the types of' : 'imports'
      return `${file.path}:${line} ${kind} ${target}: folder ${from} may not import folder ${folderOf(target)}`
    })
}

/** What tests of several folders need, such as generators, lives once beside the tests of the whole. */
function isSharedByTests(file: SourceFile, { target }: Import): boolean {
  return IS_TEST.test(file.path) && target.startsWith('../test/support/')
}

function isAllowed(from: string, importRule: ImportRule, { target, typeOnly }: Import): boolean {
  // Outside src/ only data may be reached (package.json), never another program's code.
  if (target.startsWith('..')) return !/^\.\.\/(test|bench|scripts|console)\//.test(target)
  const to = folderOf(target)
  if (to === from || importRule.imports.includes('everything')) return true
  const pattern = patternOf(to)
  return importRule.imports.includes(pattern) || (typeOnly && importRule.importsTypes.includes(pattern))
}

const FAMILIES = ['rules', 'protocols', 'suppliers', 'edges']

/** The smallest unit the table speaks of: `rules/limits`, `serve/ports`, `wire`, `main`. */
function folderOf(path: string): string {
  const [first = '', second = '', ...rest] = path.split('/')
  if (second === '') return 'main'
  if (FAMILIES.includes(first) && rest.length > 0) return `${first}/${second}`
  return second === 'ports' ? `${first}/ports` : first
}

function patternOf(folder: string): string {
  const [family = '', member] = folder.split('/')
  return member !== undefined && FAMILIES.includes(family) ? `${family}/*` : folder
}

/** Files that need each other to be understood, so circles of types count too. Nothing imports a test. */
function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(
    files.filter(({ path }) => !/\.test\.tsx?$/.test(path)).map((file) => [file.path, file]),
  )
  const finished = new Set<string>()
  const violations: string[] = []

  const visit = (path: string, trail: readonly string[]): void => {
    const file = byPath.get(path)
    if (file === undefined || finished.has(path)) return
    for (const { target, line } of file.imports) {
      const start = [...trail, path].indexOf(target)
      if (start >= 0) {
        const circle = [...[...trail, path].slice(start), target].join(' -> ')
        violations.push(`${path}:${line} imports ${target}: import cycle ${circle}`)
      } else {
        visit(target, [...trail, path])
      }
    }
    finished.add(path)
  }
  for (const path of byPath.keys()) visit(path, [])
  return violations
}

/** A format is added by adding its folder, so no other code may import one by name. */
function checkProtocolNames({ path, text }: SourceFile): string[] {
  if (IS_TEST.test(path) || KNOWS_PROTOCOL_NAMES.test(path)) return []
  return text
    .split('\n')
    .flatMap((line, index) =>
      PROTOCOL_NAMES.filter((name) => new RegExp(`(['"\`])${name}\\1`).test(line)).map(
        (name) => `${path}:${index + 1} names protocol ${name}: only protocols/ may know it by name`,
      ),
    )
}

function main(): void {
  if (process.argv.includes('--table')) {
    console.log(renderImportTable())
    return
  }
  const root = join(import.meta.dirname, '../src')
  const consoleRoot = join(import.meta.dirname, '../console')
  const inFolder = (folder: string) => (violation: string) => join(relative(process.cwd(), folder), violation)
  const violations = [
    ...checkImports(root).map(inFolder(root)),
    ...checkConsoleImports(consoleRoot).map(inFolder(consoleRoot)),
  ]
  for (const violation of violations) console.error(violation)
  if (violations.length > 0) process.exitCode = 1
  else console.log('imports: every folder keeps to the table')
}

if (import.meta.main) main()
