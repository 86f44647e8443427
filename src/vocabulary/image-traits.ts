/** What a model that makes or changes pictures takes. Lists hold the words the supplier itself uses. */
export interface ImageTraits {
  /** `any`: whatever its supplier takes. */
  readonly sizes: 'any' | readonly string[]
  /** An empty list: it has no such choice, and what a client says of it is left out. */
  readonly qualities: 'any' | readonly string[]
  readonly styles: 'any' | readonly string[]
  /** The most pictures one request may ask for. */
  readonly n: number
  /** The same for edits. */
  readonly editN: number
  /** The most pictures one edit may start from. */
  readonly maxPictures: number
  readonly mask: boolean
  readonly promptCharacters: number
  /** How its supplier is asked for the bytes; `none`: it gives them unasked and refuses the field. */
  readonly responseFormat: 'b64_json' | 'url' | 'none'
  /** Its supplier makes one picture in each call. */
  readonly oneByOne: boolean
}

export const DEFAULT_IMAGE_TRAITS: ImageTraits = {
  sizes: 'any',
  qualities: 'any',
  styles: 'any',
  n: 4,
  editN: 10,
  maxPictures: 16,
  mask: true,
  promptCharacters: 32_000,
  responseFormat: 'b64_json',
  oneByOne: false,
}

type Check = (value: unknown) => boolean

const isWord: Check = (value) => typeof value === 'string' && /^[\w.:-]{1,40}$/.test(value)
const isWords: Check = (value) => value === 'any' || (Array.isArray(value) && value.every(isWord))
const isFlag: Check = (value) => typeof value === 'boolean'
const isCountUpTo =
  (most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most

// Spec 8.5 bounds what any model may be asked for; a model's own data can only narrow that.
const CHECKS: Readonly<Record<keyof ImageTraits, readonly [isSound: Check, takes: string]>> = {
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

/** What is wrong with the `images` of a model's capabilities; null when nothing is. */
export function findImageTraitProblem({ images }: Capabilities): string | null {
  if (images === undefined) return null
  if (typeof images !== 'object' || images === null || Array.isArray(images)) {
    return 'capabilities.images must be an object.'
  }
  for (const [name, value] of Object.entries(images)) {
    if (!isTraitName(name)) {
      return `capabilities.images has no ${JSON.stringify(name)}; it has ${Object.keys(CHECKS).join(', ')}.`
    }
    const [isSound, takes] = CHECKS[name]
    if (!isSound(value)) return `capabilities.images.${name} must be ${takes}.`
  }
  return null
}

/** What is known of a model, over what holds for any; anything that is no value of its trait is ignored. */
export function imageTraitsOf({ images }: Capabilities): ImageTraits {
  if (typeof images !== 'object' || images === null) return DEFAULT_IMAGE_TRAITS
  const sound = Object.entries(images).filter(([name, value]) => isTraitName(name) && CHECKS[name][0](value))
  return { ...DEFAULT_IMAGE_TRAITS, ...Object.fromEntries(sound) }
}

function isTraitName(name: string): name is keyof ImageTraits {
  return Object.hasOwn(CHECKS, name)
}
