import type { Tool } from '../../conversation/tool.ts'
import type { ToolRules } from '../../protocols/translation.ts'

/** A tool as one side knows it. */
export interface NamedTool {
  readonly name: string
  readonly namespace: string | null
  readonly kind: 'function' | 'custom'
}

/**
 * The names a tool has on either side: the client's own, and one its supplier accepts. Both directions are one to
 * one, and the same tools get the same names in every request, so that prompt caches keep working.
 */
export class ToolNames {
  readonly #rules: ToolRules
  /** Supplier names by client tool. */
  readonly #names = new Map<string, string>()
  /** Client tools by supplier tool. */
  readonly #clientTools = new Map<string, NamedTool>()

  constructor(rules: ToolRules, tools: readonly Tool[]) {
    this.#rules = rules
    const callable = tools.flatMap((tool) => {
      if (tool.type !== 'function' && tool.type !== 'custom') return []
      return [{ name: tool.name, namespace: tool.namespace, kind: tool.type }]
    })
    // Tools that keep their names are entered first: no alias may take one of them.
    const keepsName = (tool: NamedTool) => this.#wantedName(tool) === tool.name
    for (const tool of [...callable.filter(keepsName), ...callable]) this.toSupplier(tool)
  }

  toSupplier(tool: NamedTool): NamedTool {
    const name = this.#names.get(keyOf(tool)) ?? this.#enter(tool)
    return { name, namespace: this.#namespaceOf(tool), kind: this.kindFor(tool.kind) }
  }

  kindFor(kind: NamedTool['kind']): NamedTool['kind'] {
    return this.#rules.hasCustomTools ? kind : 'function'
  }

  /** undefined for a tool nobody has defined, which models make up now and then. */
  toClient(tool: NamedTool): NamedTool | undefined {
    return this.#clientTools.get(keyOf(tool))
  }

  callId(id: string): string {
    return this.#rules.callId.test(id) ? id : `call_${hash(id, 24)}`
  }

  #enter(tool: NamedTool): string {
    const namespace = this.#namespaceOf(tool)
    const wanted = this.#wantedName(tool)
    let name = this.#rules.name.test(wanted) ? wanted : aliasOf(wanted, wanted)
    for (let attempt = 0; this.#clientTools.has(keyOf({ name, namespace })); attempt += 1) {
      name = aliasOf(wanted, `${attempt} ${JSON.stringify([tool.namespace, tool.name])}`)
    }
    this.#names.set(keyOf(tool), name)
    const { name: ownName, namespace: ownNamespace, kind } = tool
    this.#clientTools.set(keyOf({ name, namespace }), { name: ownName, namespace: ownNamespace, kind })
    return name
  }

  #namespaceOf({ namespace }: NamedTool): string | null {
    return this.#rules.hasNamespaces ? namespace : null
  }

  #wantedName({ name, namespace }: NamedTool): string {
    return namespace === null || this.#rules.hasNamespaces ? name : `${namespace}__${name}`
  }
}

/** No two tools have the same: a group says how long it is, and no group is none of any length. */
function keyOf({ name, namespace }: Pick<NamedTool, 'name' | 'namespace'>): string {
  return namespace === null ? `:${name}` : `${namespace.length}:${namespace}:${name}`
}

// Short enough for every format's limit.
const READABLE_CHARACTERS = 40

function aliasOf(name: string, identity: string): string {
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, READABLE_CHARACTERS)
  const start = /^[A-Za-z_]/.test(readable) ? readable : `_${readable}`
  return `${start}_${hash(identity, 8)}`
}

function hash(text: string, characters: number): string {
  return Bun.CryptoHasher.hash('sha256', text, 'hex').slice(0, characters)
}
