import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import type { SupplyPath, SupplyProblem, SupplyText } from '../../manage/ports/supply-application.ts'
import { explainSyntax } from './explain-syntax.ts'

/** The value of a YAML text, with positions. */
export interface YamlReading {
  /** Undefined when the text is empty. */
  readonly value: unknown
  readonly problems: readonly SupplyProblem[]
  /** The environment variables that were inserted. */
  readonly references: readonly string[]
  /** `line:column` of the problem, or of the nearest enclosing value. */
  locate(problem: SupplyProblem): string
}

const MAX_TEXT_LENGTH = 1_048_576
// A supply file has six levels; model features may add a few.
const MAX_DEPTH = 20

/** Reads YAML into plain values and resolves references. Prices keep their digits as written. */
export function readYaml(source: SupplyText, isAmount: (path: SupplyPath) => boolean): YamlReading {
  if (source.text.length > MAX_TEXT_LENGTH) {
    const problems = [{ path: [], message: `is longer than ${MAX_TEXT_LENGTH} characters.` }]
    return { value: undefined, problems, references: [], locate: () => '1:1' }
  }
  const lines = new LineCounter()
  const document = parseDocument(source.text, {
    schema: 'core',
    lineCounter: lines,
    // Pretty errors quote the file, which contains secrets.
    prettyErrors: false,
    // The library's check is quadratic; #readMap checks with a map instead.
    uniqueKeys: false,
  })
  const reader = new Reader(source, isAmount)
  const faults = [...document.errors, ...document.warnings]
  const value = faults.length === 0 ? reader.read(document.contents, []) : undefined
  // Only the first is reported: those that follow are nearly always its consequences.
  const fault = faults.reduce<YAMLError | undefined>(
    (first, each) => (first !== undefined && first.pos[0] <= each.pos[0] ? first : each),
    undefined,
  )
  const syntax = fault === undefined ? [] : [{ path: [], ...explainSyntax(fault, source.text) }]
  return {
    value,
    problems: [...syntax, ...reader.problems],
    references: [...reader.references],
    locate: ({ offset, path }) => {
      const { line, col } = lines.linePos(offset ?? reader.offsetOf(path))
      return `${Math.max(line, 1)}:${Math.max(col, 1)}`
    },
  }
}

class Reader {
  readonly problems: SupplyProblem[] = []
  readonly references = new Set<string>()
  readonly #source: SupplyText
  readonly #isAmount: (path: SupplyPath) => boolean
  readonly #offsets = new Map<string, number>()

  constructor(source: SupplyText, isAmount: (path: SupplyPath) => boolean) {
    this.#source = source
    this.#isAmount = isAmount
  }

  /** The offset of a path in the text; for a missing value, that of its parent. */
  offsetOf(path: SupplyPath): number {
    for (let length = path.length; length > 0; length--) {
      const offset = this.#offsets.get(keyOf(path.slice(0, length)))
      if (offset !== undefined) return offset
    }
    return 0
  }

  read(node: unknown, path: SupplyPath): unknown {
    if (node === null || node === undefined) return path.length === 0 ? undefined : null
    if (path.length > MAX_DEPTH) return this.#complain(path, 'is nested too deeply.')
    if (isAlias(node)) return this.#complain(path, 'is an alias; write the value itself.')
    if (isMap(node)) return this.#readMap(node, path)
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.#place([...path, index], item)
        return this.read(item, [...path, index])
      })
    }
    return isScalar(node) ? this.#readScalar(node, path) : this.#complain(path, 'cannot be read.')
  }

  #readMap(map: YAMLMap, path: SupplyPath): unknown {
    const members = new Map<string, unknown>()
    for (const pair of map.items) {
      const name = this.#readName(pair, path)
      if (name === null) continue
      const member = [...path, name]
      const hasPlace = isScalar(pair.value) || isAlias(pair.value)
      if (members.has(name)) this.#complain(member, this.#tellTwice(member), offsetOfNode(pair.key))
      else this.#place(member, hasPlace ? pair.value : pair.key)
      members.set(name, this.read(pair.value, member))
    }
    return Object.fromEntries(members)
  }

  #tellTwice(member: SupplyPath): string {
    const before = this.#source.text.slice(0, this.offsetOf(member))
    return `is there twice, first in line ${before.split('\n').length}; remove one of them.`
  }

  #readName({ key }: Pair, path: SupplyPath): string | null {
    if (isScalar(key) && typeof key.value === 'string') return key.value
    this.#complain(path, 'has a name that is not a text; put it in quotes.')
    return null
  }

  #readScalar(scalar: Scalar, path: SupplyPath): unknown {
    const { value, source = '' } = scalar
    if (typeof value === 'string') return this.#resolve(value, path)
    if (typeof value !== 'number') return value
    // A float would round the price.
    if (this.#isAmount(path)) return source
    if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
    return this.#complain(path, 'is not a number that can be kept exactly.')
  }

  #resolve(text: string, path: SupplyPath): string {
    const resolved = resolveReferences(text, this.#source.variables)
    for (const complaint of resolved.complaints) this.#complain(path, complaint)
    for (const name of resolved.names) this.references.add(name)
    return resolved.text
  }

  #place(path: SupplyPath, node: unknown): void {
    const offset = offsetOfNode(node)
    if (offset !== undefined) this.#offsets.set(keyOf(path), offset)
  }

  #complain(path: SupplyPath, message: string, offset?: number): undefined {
    this.problems.push({ path, message, ...(offset !== undefined && { offset }) })
  }
}

function offsetOfNode(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

function keyOf(path: SupplyPath): string {
  return JSON.stringify(path)
}

/** A text with its references resolved, and the problems found. */
export interface Resolved {
  readonly text: string
  /** The variables that were used. */
  readonly names: readonly string[]
  readonly complaints: readonly SupplyProblem['message'][]
}

// An escape, a reference, or an incomplete reference.
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g

/** Replaces each `${NAME}` with its variable. `$${` stands for a literal `${`. */
export function resolveReferences(text: string, variables: SupplyText['variables']): Resolved {
  const names: string[] = []
  const complaints: string[] = []
  const resolved = text.replace(REFERENCE, (match: string, name: string | undefined) => {
    if (match === '$${') return '${'
    if (name === undefined) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a reference.
      complaints.push('has "${" without a name and "}"; write ${NAME}, or $${ for the two signs themselves.')
      return ''
    }
    names.push(name)
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!value) complaints.push(`needs the environment variable ${name}, which is not set.`)
    return value ?? ''
  })
  return { text: resolved, names, complaints }
}
