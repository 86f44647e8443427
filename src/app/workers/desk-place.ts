import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveDesk } from '../../edges/desk-socket/serve-desk.ts'
import { DeskHub } from '../../edges/windows/memory-desk.ts'
import type { Clock } from '../../vocabulary/clock.ts'

/** The windows of all workers, in the memory of their parent. */
export interface ParentDesk {
  readonly path: string
  /** Lets go of what a worker held that is no more. */
  releaseNode(nodeId: string): Promise<void>
  close(): void
}

const SOCKET_NAME = 'desk.sock'
// What every system takes as the address of a socket is a little more.
const MOST_PATH_BYTES = 100

export function openParentDesk(dataFolder: string, clock: Clock): ParentDesk {
  const hub = new DeskHub(clock)
  const own = hub.deskFor('parent')
  const { path, remove } = findPlace(dataFolder)
  const server = serveDesk({ path, deskFor: (nodeId) => hub.deskFor(nodeId) })
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

/** In the data folder, unless its path is too long for a socket. */
function findPlace(dataFolder: string): { readonly path: string; remove(): void } {
  const path = join(realpathSync(dataFolder), SOCKET_NAME)
  if (Buffer.byteLength(path) <= MOST_PATH_BYTES) {
    return { path, remove: () => rmSync(path, { force: true }) }
  }
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-'))
  return { path: join(folder, SOCKET_NAME), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
