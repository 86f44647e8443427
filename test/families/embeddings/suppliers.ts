import { SANDBOX_CREDENTIAL } from '../../../src/app/supply/sandbox-supply.ts'
import {
  AZURE_KEY,
  BEDROCK_API_KEY,
  BEDROCK_KEYS,
  BEDROCK_REGION,
  type Clouds,
  startClouds,
} from '../../suppliers/support/clouds.ts'
import { createKey, type IssuedKey, openAccount } from '../../support/accounts.ts'
import { TEST_PRICE } from '../../support/supply.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'

export const MODEL = 'embed-test'
const SANDBOX = 'http://sandbox.turnpike.invalid'

/** Every kind of supplier that embeds, by a name for the tests. */
export const SUPPLIERS = [
  'openai',
  'openai-compatible',
  'azure-openai',
  'google',
  'vertex',
  'vertex-gemini',
  'cohere',
  'voyage',
  'bedrock-titan',
  'bedrock-cohere',
] as const
export type SupplierName = (typeof SUPPLIERS)[number]

/** How many inputs each of them takes in one call. */
export const INPUTS_PER_CALL: Readonly<Record<SupplierName, number>> = {
  openai: 2_048,
  'openai-compatible': 2_048,
  'azure-openai': 2_048,
  google: 100,
  vertex: 250,
  'vertex-gemini': 1,
  cohere: 96,
  voyage: 1_000,
  'bedrock-titan': 1,
  'bedrock-cohere': 96,
}

/** A gateway with one model that all of them serve, and a key for each. */
export interface EmbeddingGateway {
  readonly gateway: TestGateway
  readonly clouds: Clouds
  keyOf(supplier: SupplierName): IssuedKey
  stop(): Promise<void>
}

export async function startEmbeddingGateway(): Promise<EmbeddingGateway> {
  const clouds = await startClouds()
  const gateway = await startTestGateway({ clock: clouds.clock })
  await gateway.operator('PUT', `/models/${MODEL}`, {
    owned_by: 'tests',
    kinds: ['embedding'],
    input_token_limit: 8192,
  })
  const keys = new Map<SupplierName, IssuedKey>()
  for (const name of SUPPLIERS) keys.set(name, await register(gateway, name, placeOf(name, clouds)))
  return {
    gateway,
    clouds,
    keyOf: (supplier) => keys.get(supplier) as IssuedKey,
    stop: async () => {
      await gateway.stop()
      await clouds.stop()
    },
  }
}

interface Place {
  readonly supplier: object
  readonly secret: string
  readonly upstreamModel?: string
}

function placeOf(name: SupplierName, { azure, bedrock, vertex }: Clouds): Place {
  const at = (type: string, path: string, format: string) => ({
    supplier: { type, base_url: SANDBOX + path, formats: [format] },
    secret: SANDBOX_CREDENTIAL,
  })
  const options = { location: 'us-east5', token_uri: vertex.tokenUri }
  const atVertex = { type: 'vertex', base_url: vertex.url, formats: ['content-generation'], options }
  const atBedrock = { type: 'bedrock', base_url: bedrock.url, options: { region: BEDROCK_REGION } }
  switch (name) {
    case 'openai':
    case 'openai-compatible':
      return at(name, '/v1', 'embeddings')
    case 'google':
      return at(name, '', 'content-generation')
    case 'cohere':
      return at(name, '', 'cohere')
    case 'voyage':
      return at(name, '/voyage/v1', 'voyage')
    case 'azure-openai':
      return {
        supplier: { type: name, base_url: azure.url, formats: ['embeddings'] },
        secret: AZURE_KEY,
      }
    case 'vertex':
      return { supplier: atVertex, secret: vertex.secret }
    case 'vertex-gemini':
      return { supplier: atVertex, secret: vertex.secret, upstreamModel: 'gemini-sandbox-embedding' }
    case 'bedrock-titan':
      return { supplier: { ...atBedrock, formats: ['titan'] }, secret: BEDROCK_KEYS }
    case 'bedrock-cohere':
      return { supplier: { ...atBedrock, formats: ['cohere'] }, secret: BEDROCK_API_KEY }
  }
}

async function register(gateway: TestGateway, name: SupplierName, place: Place): Promise<IssuedKey> {
  const { supplier, secret, upstreamModel = 'sandbox-embedding' } = place
  await gateway.operator('PUT', `/suppliers/${name}`, { ...supplier, enabled: true })
  await gateway.operator('POST', `/suppliers/${name}/credentials`, { secret })
  await gateway.operator('PUT', `/models/${MODEL}/routes/${name}`, {
    upstream_model: upstreamModel,
    price: TEST_PRICE,
    enabled: true,
  })
  const policy = { route_policy: { mode: 'specified_provider', provider: name } }
  return createKey(gateway, await openRichAccount(gateway), policy)
}

/** An account whose limits no test reaches. */
export async function openRichAccount(gateway: TestGateway): Promise<string> {
  const account = await openAccount(gateway)
  const limits = { rpm: 2_000_000_000, tpm: 2_000_000_000 }
  await gateway.operator('PUT', `/accounts/${account}/tier`, {
    tier: 'Enterprise',
    ...limits,
    reason: 'tests',
  })
  return account
}
