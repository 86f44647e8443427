import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveLimits } from '../../edges/limits-socket/serve-limits.ts'
import { LimitsHub } from '../../edges/windows/memory-limits.ts'
import type { Clock } from '../../vocabulary/clock.ts'

/** The limits that workers share, in the memory of their parent. */
export interface ParentLimits {
  readonly path: string
  /** Releases the holds of a worker that has ended. */
  releaseNode(nodeId: string): Promise<void>
  close(): void
}

const SOCKET_NAME = 'limits.sock'
// A little less than what every system accepts as a socket address.
const MOST_PATH_BYTES = 100

export function openParentLimits(dataFolder: string, clock: Clock): ParentLimits {
  const hub = new LimitsHub(clock)
  const own = hub.limitsForNode('parent')
  const { path, remove } = findPlace(dataFolder)
  const server = serveLimits({ path, limitsForNode: (nodeId) => hub.limitsForNode(nodeId) })
  return {
    path,
    releaseNode: async (nodeId) => {
      await own.releaseNode(nodeId)
    },
    close: () => {
      server.close()
      remove()
    },
  }
}

/** In the data folder, unless its path is too long for a socket address. */
function findPlace(dataFolder: string): { readonly path: string; remove(): void } {
  const path = join(realpathSync(dataFolder), SOCKET_NAME)
  if (Buffer.byteLength(path) <= MOST_PATH_BYTES) {
    return { path, remove: () => rmSync(path, { force: true }) }
  }
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-'))
  return { path: join(folder, SOCKET_NAME), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
