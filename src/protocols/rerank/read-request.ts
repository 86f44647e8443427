import type { GivenDocument, RerankRequest } from '../../conversation/families/rerank.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import { TopLevelMembers } from '../../wire/json-members.ts'
import { isObject } from '../../wire/json-values.ts'
import { MAX_DOCUMENTS, RerankBodySchema } from './schema.ts'

const check = compileCheck(RerankBodySchema)

/** Members that the gateway understands; all others are passed on. */
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'query',
  'documents',
  'top_n',
  'return_documents',
  'rank_fields',
])

/** Checks and reads a parsed body. `text` is the unparsed body. */
export function readRequest(body: unknown, text: string): RerankRequest {
  const fields = check(body)
  // Refuses a name that is there twice: a supplier could read another value than the one that was checked.
  new TopLevelMembers(text, fields)
  if (fields.documents.length > MAX_DOCUMENTS) throw tooMany(fields.documents.length, MAX_DOCUMENTS)
  const documents = fields.documents.map(readDocument)
  // A field that is named twice counts once: a hundred copies of a document would be ranked and paid.
  const rankFields = fields.rank_fields == null ? null : [...new Set(fields.rank_fields)]
  return {
    model: fields.model,
    query: fields.query,
    documents,
    texts: documents.map((document) => textOf(document, rankFields)),
    topN: fields.top_n ?? null,
    returnDocuments: fields.return_documents ?? null,
    maxTokensPerDocument: fields.max_tokens_per_doc ?? null,
    others: Object.entries(fields).filter(([name, value]) => !KNOWN.has(name) && value !== null),
    bodyText: text,
  }
}

/** The error for a request with more documents than a supplier takes. */
function tooMany(count: number, most: number): GatewayError {
  const message = `documents may have at most ${most} entries, but has ${count}.`
  return new GatewayError('invalid_request', message, { param: 'documents' })
}

function readDocument(document: unknown, place: number): GivenDocument {
  if (typeof document === 'string' || isObject(document)) return document
  const param = `documents[${place}]`
  const message = `${param} must be a string, or an object with a text.`
  throw new GatewayError('invalid_request', message, { param })
}

/** The fields named, as lines of YAML, or the text alone. */
function textOf(document: GivenDocument, rankFields: readonly string[] | null): string | null {
  if (typeof document === 'string') return document
  if (rankFields === null) return typeof document.text === 'string' ? document.text : null
  // Without a list of its own for each of thousands of documents.
  let lines = ''
  for (const name of rankFields) {
    const value = Object.hasOwn(document, name) ? document[name] : null
    if (value === undefined || value === null) continue
    lines += `${lines === '' ? '' : '\n'}${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  }
  return lines === '' ? null : lines
}
