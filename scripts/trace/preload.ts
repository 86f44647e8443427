import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type AnyNode, type ArrowFunctionExpression, type FunctionExpression, parse } from 'acorn'

/**
 * Loaded before the gateway (`bun --preload`): every function of `src` notes that it ran. SIGUSR2 writes the names of
 * those that ran since the last SIGUSR2 to the file that TRACE_FILE names.
 */
const ROOT = `${import.meta.dirname}/../..`
const ran = new Set<string>()
const note = (name: string) => ran.add(name)
Object.assign(globalThis, { __ran: note })

process.on('SIGUSR2', () => {
  writeFileSync(process.env.TRACE_FILE ?? '', [...ran].join('\n'))
  ran.clear()
})

const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' })

Bun.plugin({
  name: 'trace',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const file = relative(ROOT, path)
      const source = await Bun.file(path).text()
      return { contents: instrument(transpiler.transformSync(source), file), loader: 'js' }
    })
  },
})

interface Insertion {
  readonly at: number
  readonly text: string
}

/** The same program, with a note at the beginning of every function. */
function instrument(code: string, file: string): string {
  const insertions: Insertion[] = []
  visit(
    parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }),
    '',
    (node, name) => {
      const line = code.slice(0, node.start).split('\n').length
      const call = `__ran(${JSON.stringify(`${file}:${line}:${name}`)})`
      if (node.body.type === 'BlockStatement') {
        insertions.push({ at: node.body.start + 1, text: `${call};` })
      } else {
        insertions.push({ at: node.body.start, text: `(${call},(` })
        insertions.push({ at: node.body.end, text: '))' })
      }
    },
  )
  return insert(code, insertions)
}

function insert(code: string, insertions: readonly Insertion[]): string {
  let result = ''
  let from = 0
  for (const { at, text } of insertions.toSorted((one, other) => one.at - other.at)) {
    result += code.slice(from, at) + text
    from = at
  }
  return result + code.slice(from)
}

function visit(node: AnyNode, name: string, found: (node: FunctionNode, name: string) => void): void {
  const own = nameOf(node) ?? name
  if (isFunction(node)) found(node, own)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, own, found)
    }
  }
}

type FunctionNode = FunctionExpression | ArrowFunctionExpression

function isFunction(node: AnyNode): node is FunctionNode {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
}

function nameOf(node: AnyNode): string | null {
  if ('id' in node && node.id?.type === 'Identifier') return node.id.name
  if ('key' in node && 'name' in node.key) return String(node.key.name)
  return null
}
