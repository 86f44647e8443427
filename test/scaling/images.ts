import { checkTraits, encodeReply, readEdit, readGeneration } from '../../src/protocols/images/index.ts'
import { IMAGE_SIDES } from '../../src/protocols/index.ts'
import { estimatePromptTokens } from '../../src/rules/limits/window.ts'
import { describeImages } from '../../src/serve/families/images/prepare-images.ts'
import { DEFAULT_IMAGE_TRAITS } from '../../src/vocabulary/runtime/traits.ts'
import { tryParseJson } from '../../src/wire/json-values.ts'
import { parseJson } from '../../src/wire/parse-json.ts'
import { list } from './conversations.ts'
import type { Work } from './measure.ts'
import { orRefusal } from './works.ts'

type Body = Readonly<Record<string, unknown>>

const PLAIN = { model: 'm', prompt: 'a fox' } as const

/** What a client can make long in a request for new images. */
export const IMAGE_REQUESTS: Readonly<Record<string, (items: number) => Body>> = {
  'words of a prompt': (items) => ({ ...PLAIN, prompt: 'a fox and '.repeat(items) }),
  'unknown fields': (items) => ({
    ...PLAIN,
    ...Object.fromEntries(list(items, (at) => [`unknown_${at}`, { at }])),
  }),
  metadata: (items) => ({
    ...PLAIN,
    metadata: Object.fromEntries(list(items, (at) => [`name${at}`, `value ${at}`])),
  }),
  'words about the user': (items) => ({ ...PLAIN, user: 'customer '.repeat(items) }),
  'wrong size': (items) => ({ ...PLAIN, size: '1'.repeat(items * 8) }),
}

/** The text fields of a form that asks for a change: as many as the reader of forms would let through, and more. */
export const IMAGE_FORMS: Readonly<
  Record<string, (items: number) => readonly (readonly [string, string])[]>
> = {
  'unknown fields': (items) => [
    ...plainFields(),
    ...list(items, (at) => [`unknown_${at}`, 'words'] as const),
  ],
  'fields of a list': (items) => [...plainFields(), ...list(items, () => ['unknown[]', 'words'] as const)],
  'fields with many brackets': (items) => [...plainFields(), [`a${'['.repeat(items * 8)}`, 'words']],
  'words of a prompt': (items) => [
    ['model', 'm'],
    ['prompt', 'a fox and '.repeat(items)],
  ],
}

function plainFields(): (readonly [string, string])[] {
  return Object.entries(PLAIN)
}

const TRAITS = { ...DEFAULT_IMAGE_TRAITS, promptCharacters: Number.MAX_SAFE_INTEGER, maxPictures: 1e6 }
const SUPPLY = { upstreamModel: 'upstream-1', traits: TRAITS, refused: ['user', 'metadata'] } as const

export function generationWork(write: (items: number) => Body): Work {
  return {
    name: 'ask for images',
    prepare: (items) => {
      const text = JSON.stringify(write(items))
      return orRefusal(() => encodeForAll(readGeneration(parseJson(text))))
    },
  }
}

export function editWork(write: (items: number) => readonly (readonly [string, string])[]): Work {
  return {
    name: 'ask for a change',
    prepare: (items) => {
      const fields = write(items)
      const images = list(items, () => ({ ...IMAGE, field: 'image' }))
      return orRefusal(() => encodeForAll(readEdit({ fields, images })))
    },
  }
}

const IMAGE = {
  mediaType: 'image/png',
  bytes: 8,
  width: 1,
  height: 1,
  hasAlpha: true,
  content: new Blob(['12345678']),
}

function encodeForAll(image: ReturnType<typeof readGeneration>): unknown[] {
  orRefusal(() => checkTraits(image, DEFAULT_IMAGE_TRAITS))()
  estimatePromptTokens(describeImages(image).request.facts)
  return IMAGE_SIDES.map((side) => orRefusal(() => side.encodeRequest(image, SUPPLY))())
}

/** What a supplier can make long in its answer. */
export const imageReplyWork: Work = {
  name: 'answer with images',
  prepare: (items) => {
    const data = list(items, (at) => ({ b64_json: 'iVBORw0KGgo=', revised_prompt: `a fox ${at}` }))
    const text = JSON.stringify({ created: 1, data })
    return () => {
      const answer = IMAGE_SIDES[0]?.decodeReply(tryParseJson(text))
      if (!answer) throw new Error('no reply of its format')
      const handed = answer.pictures.map(({ revisedPrompt }) => ({ value: 'iVBORw0KGgo=', revisedPrompt }))
      return encodeReply(handed, { ...answer, form: 'base64', createdAtMs: 0 })
    }
  },
}
