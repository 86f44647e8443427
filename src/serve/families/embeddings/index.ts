import {
  EMBED_CONTRACTS,
  generationEmbeddings,
  isEmbedPath,
} from '../../../protocols/content-generation/index.ts'
import type { EmbeddingClient } from '../../../protocols/embedding-side.ts'
import { EMBEDDING_CONTRACT, embeddings } from '../../../protocols/embeddings/index.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Caller, IncomingRequest } from '../../admission/prepared-request.ts'
import { serveRequest } from '../../serve-request.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family, FamilyEndpoint } from '../family.ts'
import { modelContract, TOKEN_HEADERS } from '../model-contract.ts'
import { ExchangeAddress } from '../text/text-family.ts'
import { planEmbeddings } from './plan-embeddings.ts'
import { type PreparedEmbedding, prepareEmbedding, type ReadBody } from './prepare-embeddings.ts'

type EmbeddingFamily = Family<string, ReadBody, PreparedEmbedding>

function familyOf(client: EmbeddingClient): EmbeddingFamily {
  return {
    receive: (exchange) => exchange.readText(),
    read: (text, caller, incoming) => readBody(text, caller, { ...incoming, client }),
    modelOf: ({ embedding }) => embedding.facts.model,
    prepare: prepareEmbedding,
    plan: planEmbeddings,
  }
}

function readBody(
  text: string,
  caller: Caller,
  { client, exchange, gateway }: IncomingRequest & { readonly client: EmbeddingClient },
): MaybePromise<ReadBody> {
  const body = parseJson(text)
  const bodies = gateway.bodies.begin(caller.account.id, text)
  const read = () => ({
    client,
    embedding: client.read(body, text, new ExchangeAddress(exchange)),
    text,
    bodies,
  })
  return text.length > LARGE_BODY_CHARACTERS ? yieldLoop().then(read) : read()
}

export const EMBEDDING_ENDPOINTS: readonly FamilyEndpoint[] = [
  {
    path: '/v1/embeddings',
    family: familyOf(embeddings),
    contract: modelContract(EMBEDDING_CONTRACT, TOKEN_HEADERS),
  },
]

const generationFamily = familyOf(generationEmbeddings)

/** Adds embeddings to endpoints whose path names the method, if this is one of them. */
export function withEmbedMethods(endpoint: FamilyEndpoint): FamilyEndpoint {
  const contracts = EMBED_CONTRACTS[endpoint.path]
  if (contracts === undefined) return endpoint
  const { handle, family, contract } = endpoint
  const otherwise: NonNullable<FamilyEndpoint['handle']> =
    handle ?? ((exchange, gateway) => serveRequest(exchange, gateway, family))
  return {
    ...endpoint,
    contract: {
      ...contract,
      also: [...(contract.also ?? []), ...contracts.map((each) => modelContract(each, TOKEN_HEADERS))],
    },
    handle: (exchange, gateway) =>
      isEmbedPath(exchange.params['*'] ?? '')
        ? serveRequest(exchange, gateway, generationFamily)
        : otherwise(exchange, gateway),
  }
}
