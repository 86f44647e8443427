import type { Format, ModelKind } from '../../../src/vocabulary/supply.ts'

const KINDS: Readonly<Record<ModelKind, string>> = {
  text: 'Text',
  image: 'Images',
  'image-edit': 'Image editing',
  embedding: 'Embeddings',
  rerank: 'Rerank',
  moderation: 'Moderation',
  transcription: 'Transcription',
  speech: 'Speech',
}

export function describeKind(kind: ModelKind): string {
  return KINDS[kind] ?? kind
}

/** Embeddings, for instance, have no output tokens. */
export function hasOutput(kinds: readonly ModelKind[]): boolean {
  return kinds.some((kind) => !['embedding', 'rerank', 'moderation'].includes(kind))
}

const FORMATS: Readonly<Record<Format, string>> = {
  'chat-completion': 'Chat completions',
  responses: 'Responses',
  messages: 'Messages',
  'content-generation': 'Generate content',
  images: 'Images',
  completions: 'Completions',
  embeddings: 'Embeddings',
  rerank: 'Rerank',
  moderations: 'Moderations',
  transcriptions: 'Transcriptions',
  speech: 'Speech',
  cohere: 'Cohere',
  voyage: 'Voyage',
  titan: 'Titan',
}

/** The name of a wire format, as its vendor’s documentation spells it. */
export function describeFormat(format: Format): string {
  return FORMATS[format] ?? format
}

/** The tab of the playground for a model. */
export function playgroundMode(kinds: readonly ModelKind[]): string {
  if (kinds.includes('text')) return 'chat'
  const kind = kinds.find((each) => each !== 'image' && each !== 'image-edit')
  return kind ?? 'images'
}
