import { recordIdFrom } from '../../../vocabulary/records/record.ts'
import type { Findings } from './findings.ts'
import { type Fields, fieldsOf, type LitellmConfig, textOf } from './read-config.ts'

const MOST_MODELS = 5

export interface WrittenAlias {
  readonly id: string
  readonly name: string
  readonly models: readonly string[]
}

interface Parts {
  /** The models that were taken over. */
  readonly models: ReadonlySet<string>
  readonly findings: Findings
}

/** Other names of models, and what to try when a model fails. Both are aliases here. */
export function readAliases(
  { router, settings }: LitellmConfig,
  { models, findings }: Parts,
): WrittenAlias[] {
  const aliases = new Map<string, readonly string[]>()
  for (const [name, target] of Object.entries(fieldsOf(router.model_group_alias))) {
    const model = textOf(target) ?? textOf(fieldsOf(target).model)
    const at = `router_settings.model_group_alias.${name}`
    if (model === null || !models.has(model))
      findings.leftOut(at, 'The model it leads to was not taken over.')
    else {
      aliases.set(name, [model])
      findings.taken(at, `An alias of ${model}.`)
    }
  }
  for (const { at, name, fallbacks } of fallbacksOf(router, settings)) {
    const own = aliases.get(name) ?? (models.has(name) ? [name] : [])
    const chain = [...new Set([...own, ...fallbacks.filter((model) => models.has(model))])]
    if (own.length === 0 || chain.length === own.length)
      findings.leftOut(at, 'The models it names were not taken over.')
    else {
      aliases.set(name, chain.slice(0, MOST_MODELS))
      findings.taken(at, `An alias that tries ${chain.slice(0, MOST_MODELS).join(', then ')}.`)
    }
  }
  return [...aliases].map(([name, chain]) => ({ id: recordIdFrom(name), name, models: chain }))
}

interface Fallback {
  readonly at: string
  readonly name: string
  readonly fallbacks: readonly string[]
}

/** `fallbacks: [{ gpt-4: [gpt-3.5] }]`, which may stand in two places. */
function fallbacksOf(router: Fields, settings: Fields): Fallback[] {
  return [
    { section: 'router_settings', list: router.fallbacks },
    { section: 'litellm_settings', list: settings.fallbacks },
  ].flatMap(({ section, list }) =>
    (Array.isArray(list) ? list : []).flatMap((entry, place) =>
      Object.entries(fieldsOf(entry)).map(([name, models]) => ({
        at: `${section}.fallbacks[${place}]`,
        name,
        fallbacks: (Array.isArray(models) ? models : []).flatMap((model) => textOf(model) ?? []),
      })),
    ),
  )
}
