import { EFFORTS, type Effort } from '../../conversation/effort.ts'

/** How a model's thinking is controlled on the wire. */
export type ThinkingControl =
  | { readonly type: 'none' }
  /** A named effort; `efforts` are the accepted ones. */
  | { readonly type: 'effort'; readonly efforts: readonly Effort[] }
  /** A number of tokens. */
  | { readonly type: 'budget'; readonly least: number; readonly most: number; readonly canDisable: boolean }
  /** The model decides, guided by an effort. */
  | { readonly type: 'adaptive'; readonly efforts: readonly Effort[]; readonly canDisable: boolean }
  /** A named level that cannot be switched off. */
  | { readonly type: 'level'; readonly levels: readonly Effort[] }

/** What a model accepts and refuses, so that translated requests fit it. */
export interface Traits {
  readonly thinking: ThinkingControl
  readonly vision: boolean
  /** Whether it accepts images by URL; otherwise it needs the bytes. */
  readonly urlImages: boolean
  readonly toolResultImages: boolean
  readonly structured: 'none' | 'json' | 'schema'
  /** `rejected`: temperature and similar parameters are refused. */
  readonly sampling: 'ok' | 'rejected' | 'only-without-thinking'
  readonly isTemperatureOrTopP: boolean
  readonly stop: boolean
  readonly penalties: boolean
  readonly logprobs: boolean
  readonly maxChoices: number
  /** The last turn may be the assistant's, to be continued. */
  readonly prefill: boolean
  /** System text may stand between turns. */
  readonly inlineSystem: boolean
  readonly developerRole: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Wants its own thinking text back with tool results, in `reasoning_content`. */
  readonly needsReasoningContent: boolean
  readonly cacheBreakpoints: boolean
}

export const DEFAULT_TRAITS: Traits = {
  thinking: { type: 'effort', efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
  vision: true,
  urlImages: true,
  toolResultImages: true,
  structured: 'schema',
  sampling: 'ok',
  isTemperatureOrTopP: false,
  stop: true,
  penalties: true,
  logprobs: true,
  maxChoices: 128,
  prefill: false,
  inlineSystem: false,
  developerRole: false,
  maxTokensField: 'max_completion_tokens',
  needsReasoningContent: false,
  cacheBreakpoints: false,
}

/**
 * The traits, overridden by the capabilities of a particular model. Operators write these by hand; invalid values are
 * ignored.
 */
export function fitTraits(base: Traits, known: Readonly<Record<string, unknown>>): Traits {
  const fitting = Object.entries(known).filter(
    ([name, value]) => Object.hasOwn(CHECKS, name) && CHECKS[name as keyof Traits](value),
  )
  return fitting.length === 0 ? base : { ...base, ...Object.fromEntries(fitting) }
}

type Check = (value: unknown) => boolean

const isFlag: Check = (value) => typeof value === 'boolean'
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.some((each) => each === value)

const CHECKS: Readonly<Record<keyof Traits, Check>> = {
  thinking: isThinkingControl,
  vision: isFlag,
  urlImages: isFlag,
  toolResultImages: isFlag,
  structured: oneOf('none', 'json', 'schema'),
  sampling: oneOf('ok', 'rejected', 'only-without-thinking'),
  isTemperatureOrTopP: isFlag,
  stop: isFlag,
  penalties: isFlag,
  logprobs: isFlag,
  maxChoices: (value) => isCount(value) && value !== 0,
  prefill: isFlag,
  inlineSystem: isFlag,
  developerRole: isFlag,
  maxTokensField: oneOf('max_tokens', 'max_completion_tokens'),
  needsReasoningContent: isFlag,
  cacheBreakpoints: isFlag,
}

function isThinkingControl(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const control: Partial<Record<string, unknown>> = { ...value }
  switch (control.type) {
    case 'none':
      return true
    case 'effort':
      return isEfforts(control.efforts)
    case 'budget':
      return isCount(control.least) && isCount(control.most) && isFlag(control.canDisable)
    case 'adaptive':
      return isEfforts(control.efforts) && isFlag(control.canDisable)
    case 'level':
      return isEfforts(control.levels)
    default:
      return false
  }
}

function isEfforts(value: unknown): boolean {
  return Array.isArray(value) && value.every(oneOf(...EFFORTS))
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** What an image model accepts. Lists contain the words of its supplier. */
export interface ImageTraits {
  /** `any`: everything that its supplier accepts. */
  readonly sizes: 'any' | readonly string[]
  /** An empty list: the model has no such option, and the client's choice is dropped. */
  readonly qualities: 'any' | readonly string[]
  readonly styles: 'any' | readonly string[]
  /** Maximum images per request. */
  readonly n: number
  /** The same for edits. */
  readonly editN: number
  /** Maximum source images per edit. */
  readonly maxPictures: number
  readonly mask: boolean
  readonly promptCharacters: number
  /** How to request images from its supplier; `none`: it sends the bytes by default and refuses the field. */
  readonly responseFormat: 'b64_json' | 'url' | 'none'
  /** Its supplier makes one image per call. */
  readonly oneByOne: boolean
}

export const DEFAULT_IMAGE_TRAITS: ImageTraits = {
  sizes: 'any',
  qualities: 'any',
  // Those of the published API.
  styles: ['vivid', 'natural'],
  n: 4,
  editN: 10,
  maxPictures: 16,
  mask: true,
  promptCharacters: 32_000,
  responseFormat: 'b64_json',
  oneByOne: false,
}

const isWord: Check = (value) => typeof value === 'string' && /^[\w.:-]{1,40}$/.test(value)
const isWords: Check = (value) => value === 'any' || (Array.isArray(value) && value.every(isWord))
const isCountUpTo =
  (most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most

// Spec 8.5 limits the requests for any model; a model's data can only narrow these limits.
const IMAGE_CHECKS: Readonly<Record<keyof ImageTraits, readonly [isSound: Check, takes: string]>> = {
  sizes: [isWords, '"any" or a list of sizes such as "1024x1024"'],
  qualities: [isWords, '"any" or a list of words'],
  styles: [isWords, '"any" or a list of words'],
  n: [isCountUpTo(4), 'a whole number from 1 to 4'],
  editN: [isCountUpTo(10), 'a whole number from 1 to 10'],
  maxPictures: [isCountUpTo(16), 'a whole number from 1 to 16'],
  mask: [isFlag, 'true or false'],
  promptCharacters: [isCountUpTo(1_000_000), 'a whole number from 1 to 1000000'],
  responseFormat: [
    (value) => value === 'b64_json' || value === 'url' || value === 'none',
    '"b64_json", "url" or "none"',
  ],
  oneByOne: [isFlag, 'true or false'],
}

type Capabilities = Readonly<Record<string, unknown>>

/** What is wrong with the `images` of a model's capabilities; null when they are valid. */
export function findImageTraitProblem({ images }: Capabilities): string | null {
  if (images === undefined) return null
  if (typeof images !== 'object' || images === null || Array.isArray(images)) {
    return 'capabilities.images must be an object.'
  }
  for (const [name, value] of Object.entries(images)) {
    if (!isTraitName(name)) {
      return `capabilities.images has no ${JSON.stringify(name)}; it has ${Object.keys(IMAGE_CHECKS).join(', ')}.`
    }
    const [isSound, takes] = IMAGE_CHECKS[name]
    if (!isSound(value)) return `capabilities.images.${name} must be ${takes}.`
  }
  return null
}

/** The defaults, overridden by what is known of the model. Invalid values are ignored. */
export function imageTraitsOf({ images }: Capabilities): ImageTraits {
  if (typeof images !== 'object' || images === null) return DEFAULT_IMAGE_TRAITS
  const sound = Object.entries(images).filter(
    ([name, value]) => isTraitName(name) && IMAGE_CHECKS[name][0](value),
  )
  return { ...DEFAULT_IMAGE_TRAITS, ...Object.fromEntries(sound) }
}

function isTraitName(name: string): name is keyof ImageTraits {
  return Object.hasOwn(IMAGE_CHECKS, name)
}

const DEFAULT_SPOKEN_CHARACTERS = 4_096
const isSpokenCount = isCountUpTo(1_000_000)

/** What is wrong with the `speech` of a model's capabilities; null when it is valid. */
export function findSpeechTraitProblem({ speech }: Capabilities): string | null {
  if (speech === undefined) return null
  const isSound =
    typeof speech === 'object' &&
    speech !== null &&
    Object.entries(speech).every(([name, value]) => name === 'inputCharacters' && isSpokenCount(value))
  return isSound ? null : 'capabilities.speech has only inputCharacters, a whole number from 1 to 1000000.'
}

/** The longest text that a model speaks at once, in characters. */
export function spokenCharacterLimit({ speech }: Capabilities): number {
  const said = typeof speech === 'object' && speech !== null ? Object.entries(speech) : []
  const [, limit] = said.find(([name]) => name === 'inputCharacters') ?? []
  return isSpokenCount(limit) ? Number(limit) : DEFAULT_SPOKEN_CHARACTERS
}
