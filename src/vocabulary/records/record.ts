import { text } from '../field.ts'
import type { AnyField } from '../field-codec.ts'
import type { Fields, Shape, ValueIn } from '../shape.ts'

export type RecordFields = Fields & { readonly id: AnyField }

export const RECORD_ID = /^[a-z0-9][a-z0-9-]{0,63}$/
export const RECORD_ID_RULE = '1 to 64 lower-case letters, digits and hyphens, not starting with a hyphen'

/** The id of a record, which an operator chooses and which is part of its path. */
export function recordId(example: string) {
  return text(64, { pattern: RECORD_ID.source, takes: RECORD_ID_RULE }).example(example)
}

/** A name as the id of a record; empty when nothing of it can be in one. */
export function recordIdFrom(name: string): string {
  const id = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return id.replace(/^-+/, '').slice(0, 64).replace(/-+$/, '')
}

/** The fields that a request may write: all but the id, which is in the path. */
export type RecordSettings<F extends RecordFields> = ValueIn<Omit<F, 'id'>>

/**
 * A plain record: operators list, show, put and delete it. Table, storage, operations, endpoints and commands follow
 * from its entry in `RECORDS`. Unless it `isConfiguration`, no request depends on it.
 */
export interface RecordKind<Table extends string, F extends RecordFields> {
  readonly table: Table
  readonly shape: Shape<F>
  /** The body of `PUT`. */
  readonly body: Shape<Omit<F, 'id'>>['draft']
  /** `payment_method`, the first part of its actions in the audit log. */
  readonly subject: string
  /** `Payment methods`, and a sentence about them, for the API document and the docs. */
  readonly title: string
  readonly about: string
  /** `payment method` and `payment methods`, for sentences. */
  readonly noun: string
  readonly plural: string
  /** `payment-methods`, the command and the path of its endpoints. */
  readonly slug: string
  /** `PaymentMethod` and `PaymentMethods`, for the ids of endpoints. */
  readonly name: string
  readonly pluralName: string
  /** Whether it is part of the configuration snapshot, so that every node follows a change. */
  readonly isConfiguration: boolean
  /** The stored ones, and the built-in ones that none of them replaces by its id. */
  inForce(stored: readonly ValueIn<F>[]): readonly ValueIn<F>[]
  whereId(id: string): Partial<ValueIn<F>>
  complete(id: string, settings: RecordSettings<F>): ValueIn<F>
  /** Lists are sorted by this text. */
  positionOf(value: ValueIn<F>): string
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every record, whatever its fields are.
export type AnyRecord = RecordKind<string, any>

interface RecordOptions<F extends RecordFields> {
  /** A sentence for operators. */
  readonly about: string
  /** Whole numbers and texts that lists are ordered by, before the id. */
  readonly order?: readonly (keyof F & string)[]
  /** When its singular in sentences is not the name of the shape; an s makes the plural. */
  readonly noun?: string
  readonly isConfiguration?: boolean
  /** Those that there are without a row, until one with the same id is stored. */
  readonly builtIn?: readonly ValueIn<F>[]
}

/** Describes a record: `table` is its plural in snake case, the shape's name its singular. */
export function record<const Table extends string, F extends RecordFields>(
  table: Table,
  shape: Shape<F>,
  { about, order = [], noun, isConfiguration = false, builtIn = [] }: RecordOptions<F>,
): RecordKind<Table, F> {
  const plural = noun === undefined ? table.replaceAll('_', ' ') : `${noun}s`
  const subject = shape.name.replace(/\B[A-Z]/g, '_$&').toLowerCase()
  return {
    table,
    shape,
    body: shape.without(`${shape.name}Put`, ['id']).draft,
    subject,
    noun: noun ?? subject.replaceAll('_', ' '),
    plural,
    title: `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`,
    about,
    isConfiguration,
    slug: table.replaceAll('_', '-'),
    name: shape.name,
    pluralName: table.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    inForce: (stored) => {
      const replaced = new Set(stored.map(idOf))
      return [...builtIn.filter((value) => !replaced.has(idOf(value))), ...stored]
    },
    // TypeScript cannot see that a type parameter with an id has one in its values too.
    whereId: (id) => ({ id }) as unknown as Partial<ValueIn<F>>,
    complete: (id, settings) => ({ ...settings, id }) as ValueIn<F>,
    positionOf: (value) => {
      const parts = value as Readonly<Record<string, unknown>>
      return [...order, 'id'].map((name) => sortable(parts[name])).join(' ')
    },
  }
}

function idOf(value: object): unknown {
  return (value as { readonly id?: unknown }).id
}

const MAX_DIGITS = 16

function sortable(value: unknown): string {
  return typeof value === 'number' ? String(value).padStart(MAX_DIGITS, '0') : String(value)
}
