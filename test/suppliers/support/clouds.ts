import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts'
import { AccessTokens } from '../../../src/suppliers/access-tokens.ts'
import type { CallTools } from '../../../src/suppliers/supplier-type.ts'
import { createMovableClock, type MovableClock } from '../../support/movable-clock.ts'
import { type AzureServer, startAzureServer } from './azure-server.ts'
import { type BedrockServer, startBedrockServer } from './bedrock-server.ts'
import type { AwsAccount } from './check-aws-signature.ts'
import { startVertexServer, type VertexServer } from './vertex-server.ts'

export const AZURE_KEY = 'azure-key-of-the-tests'
export const BEDROCK_API_KEY = 'bedrock-api-key-of-the-tests'
export const BEDROCK_REGION = 'eu-west-1'
const ACCESS_KEY_ID = 'ASIATESTTESTTESTTEST'
const SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
export const SESSION_TOKEN = 'FwoGZXIvYXdzEBYaDTest+session/token=='
export const BEDROCK_KEYS = `${ACCESS_KEY_ID}:${SECRET_ACCESS_KEY}:${SESSION_TOKEN}`

/** The three clouds on one clock, each in front of the same sandbox. */
export interface Clouds {
  readonly clock: MovableClock
  readonly azure: AzureServer
  readonly bedrock: BedrockServer
  readonly vertex: VertexServer
  readonly sandbox: Sandbox
  /** What a supplier type is given to work with; tokens are not shared. */
  newTools(): CallTools
  stop(): Promise<void>
}

export async function startClouds(): Promise<Clouds> {
  const clock = createMovableClock()
  const sandbox = startSandbox()
  const account: AwsAccount = {
    accessKeyId: ACCESS_KEY_ID,
    secretAccessKey: SECRET_ACCESS_KEY,
    sessionToken: SESSION_TOKEN,
    region: BEDROCK_REGION,
    service: 'bedrock',
    nowMs: clock.nowMs,
  }
  const azure = startAzureServer(AZURE_KEY, sandbox.url)
  const bedrock = await startBedrockServer({ account, apiKey: BEDROCK_API_KEY, sandboxUrl: sandbox.url })
  const vertex = startVertexServer(clock, sandbox.url)
  return {
    clock,
    azure,
    bedrock,
    vertex,
    sandbox,
    newTools: () => ({
      clock,
      sandboxUrl: null,
      tokens: new AccessTokens(clock),
      call: (request) => fetch(request),
    }),
    stop: async () => {
      await Promise.all([azure.stop(), bedrock.stop(), vertex.stop()])
      await sandbox.stop()
    },
  }
}
