import type { JsonSchema } from './json-schema.ts'
import type { CacheHint } from './part.ts'

export type Tool = FunctionTool | CustomTool | WebSearchTool | HostedTool

/** A tool that the client runs, called with JSON arguments. */
export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  /** Set when the client grouped its tools; the full name is `namespace` and `name` together. */
  readonly namespace: string | null
  readonly description: string | null
  /** null: the tool takes no arguments. */
  readonly schema: JsonSchema | null
  readonly strict: boolean | null
  readonly cache: CacheHint | null
}

/** A tool that the client runs, called with free text that may follow a grammar. */
export interface CustomTool {
  readonly type: 'custom'
  readonly name: string
  readonly namespace: string | null
  readonly description: string | null
  readonly grammar: { readonly syntax: string; readonly definition: string } | null
  readonly cache: CacheHint | null
}

/** A web search that the supplier runs. */
export interface WebSearchTool {
  readonly type: 'web-search'
  readonly allowedDomains: readonly string[] | null
  readonly blockedDomains: readonly string[] | null
  readonly maxUses: number | null
  readonly contextSize: 'low' | 'medium' | 'high' | null
  /** Members such as `city`, `region`, `country` and `timezone`, without `type: "approximate"`. */
  readonly userLocation: Readonly<Record<string, unknown>> | null
  /** The client's definition, for suppliers of the same format. */
  readonly original: { readonly format: string; readonly value: unknown } | null
}

/** Any other tool that the supplier runs. Only its format can express it. */
export interface HostedTool {
  readonly type: 'hosted'
  readonly format: string
  /** Its name in an error message, such as `code_interpreter`. */
  readonly kind: string
  readonly value: unknown
}

export type ToolChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'none' }
  /** The model must call a tool. */
  | { readonly type: 'required' }
  | { readonly type: 'named'; readonly name: string; readonly namespace: string | null }
  /** Only these may be called; `isRequired`: one of them must. */
  | { readonly type: 'allowed'; readonly names: readonly string[]; readonly isRequired: boolean }
