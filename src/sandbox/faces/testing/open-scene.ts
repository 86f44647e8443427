import { SandboxError } from '../../sandbox-error.ts'
import { createSeals } from '../../seals.ts'
import type { AnswerScene, CountScene, Face } from '../face.ts'

type TextScene = AnswerScene | CountScene

/** Opens a scene as the server would, without a server. */
export function openScene(
  face: Face,
  body: unknown,
  address: { readonly path: string; readonly headers?: Record<string, string> },
): TextScene {
  const scene = face.open({
    path: address.path,
    query: new URLSearchParams(),
    headers: new Headers(address.headers),
    // As it would come over the wire: without fields that are not set.
    body: JSON.parse(JSON.stringify(body)),
    callNumber: 1,
    nowMs: 0,
    seals: createSeals('secret of the tests'),
    traitsOf: () => ({}),
    keepImage: () => 'http://sandbox.test/image.png',
  })
  if (scene.type === 'images' || scene.type === 'result') throw new Error('No text is asked for.')
  return scene
}

/** What a request that must be refused is refused with. */
export function refusalOf(action: () => unknown): SandboxError {
  try {
    action()
  } catch (error) {
    if (error instanceof SandboxError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
