import type { EmbeddingLimits } from '../vocabulary/runtime/embedding-limits.ts'
import { isPending, type MaybePromise } from '../vocabulary/runtime/maybe-promise.ts'
import type { AbortPolicy, Format, Supplier, SupplierTypeName } from '../vocabulary/supply.ts'
import { anthropic } from './anthropic/index.ts'
import { azureOpenai } from './azure-openai/index.ts'
import { bedrock } from './bedrock/index.ts'
import { cohere } from './cohere/index.ts'
import { google } from './google/index.ts'
import { openai } from './openai/index.ts'
import { openaiCompatible } from './openai-compatible/index.ts'
import { callSandboxHere, SANDBOX_ORIGIN, sandbox } from './sandbox/index.ts'
import type {
  CallQuery,
  CallTarget,
  CallTools,
  ModelList,
  Quirks,
  QuirksByFormat,
  SupplierType,
} from './supplier-type.ts'
import { vertex } from './vertex/index.ts'
import { voyage } from './voyage/index.ts'

/** Every kind of supplier this version can call. To add one, add its folder, its line here and its name in the vocabulary. */
export const SUPPLIER_TYPES_SERVED: readonly SupplierType[] = [
  openai,
  anthropic,
  google,
  openaiCompatible,
  azureOpenai,
  bedrock,
  vertex,
  cohere,
  voyage,
  sandbox,
]

const byName = new Map<SupplierTypeName, SupplierType>(SUPPLIER_TYPES_SERVED.map((type) => [type.name, type]))

export function supplierTypeOf(name: SupplierTypeName): SupplierType {
  const type = byName.get(name)
  if (type === undefined) throw new Error(`suppliers of type ${name} cannot be called by this version`)
  return type
}

/** Where and how to call a supplier. Every type may have the stored address of the sandbox as its base URL. */
export function targetOf(
  type: SupplierTypeName,
  query: CallQuery,
  tools: CallTools,
): MaybePromise<CallTarget> {
  const target = supplierTypeOf(type).target(query, tools)
  if (!query.baseUrl.startsWith(SANDBOX_ORIGIN)) return target
  if (!isPending(target)) return callSandboxHere(target, tools.sandboxUrl)
  return target.then((found) => callSandboxHere(found, tools.sandboxUrl))
}

// Suppliers are immutable, so their quirks are computed once.
const quirksBySupplier = new WeakMap<Supplier, QuirksByFormat | null>()

/** null for suppliers without quirks, which is nearly all of them. */
export function quirksOf(supplier: Supplier, format: Format): Quirks | null {
  let quirks = quirksBySupplier.get(supplier)
  if (quirks === undefined) {
    quirks = byName.get(supplier.type)?.quirksOf?.(supplier) ?? null
    quirksBySupplier.set(supplier, quirks)
  }
  return quirks?.[format] ?? null
}

/** Whether a beta feature may be asked of a supplier. */
export function takesBeta({ type, options }: Pick<Supplier, 'type' | 'options'>, beta: string): boolean {
  return byName.get(type)?.takesBeta?.(beta, options) === true
}

/** Whether a supplier charges the prompt of a request that was given up before its first byte. */
export function abortPolicyOf({ aborts, type }: Pick<Supplier, 'aborts' | 'type'>): AbortPolicy {
  return aborts ?? supplierTypeOf(type).aborts
}

/** What one call may embed; null: as much as the format allows. */
export function embeddingLimitsOf(
  { type }: Pick<Supplier, 'type'>,
  query: Pick<CallQuery, 'format' | 'upstreamModel'>,
): EmbeddingLimits | null {
  return supplierTypeOf(type).embeddingLimits?.(query) ?? null
}

/** null when suppliers of this type have no model list. */
export function modelListOf({ type, formats }: Pick<Supplier, 'type' | 'formats'>): ModelList | null {
  return supplierTypeOf(type).modelList?.(formats) ?? null
}
