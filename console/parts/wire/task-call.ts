import type { Format, ModelKind } from '../../../src/vocabulary/supply.ts'

/** The kinds of models that do one thing, besides text and images. */
export const TASK_KINDS = [
  'embedding',
  'rerank',
  'moderation',
  'speech',
  'transcription',
] as const satisfies readonly ModelKind[]
export type TaskKind = (typeof TASK_KINDS)[number]

/** The format in which this console calls each kind. */
export const FORMATS_OF_TASKS: Readonly<Record<TaskKind, Format>> = {
  embedding: 'embeddings',
  rerank: 'rerank',
  moderation: 'moderations',
  speech: 'speech',
  transcription: 'transcriptions',
}

const PATHS: Readonly<Record<TaskKind, string>> = {
  embedding: '/v1/embeddings',
  rerank: '/v2/rerank',
  moderation: '/v1/moderations',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
}

export function taskPath(kind: TaskKind): string {
  return PATHS[kind]
}

/** A request to a model of one of these kinds, as its SDK would send it. */
export interface TaskCall {
  readonly kind: TaskKind
  readonly fields: Readonly<Record<string, unknown>>
  /** The file of a form; the code needs only its name. Null for requests in JSON. */
  readonly file: { readonly name: string } | null
}

const EXAMPLES: Readonly<Record<TaskKind, TaskCall['fields']>> = {
  embedding: { input: ['A lighthouse at dawn', 'The sun rises over the harbour'] },
  rerank: {
    query: 'Which city is the capital of France?',
    documents: ['Paris is the capital of France.', 'Lyon is a city in France.'],
  },
  moderation: { input: 'I will find you and hurt you.' },
  speech: { input: 'The ship leaves at dawn.', voice: 'alloy' },
  transcription: {},
}

/** A short request to show in examples. */
export function exampleCall(kind: TaskKind, model: string): TaskCall {
  return {
    kind,
    fields: { model, ...EXAMPLES[kind] },
    file: kind === 'transcription' ? { name: 'speech.mp3' } : null,
  }
}
