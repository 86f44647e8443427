import { chatCompletion } from './chat-completion/index.ts'
import type { Face } from './face.ts'

export const FACES: readonly Face[] = [chatCompletion]

/** Whose error shape is used where no face claims the path. */
export const DEFAULT_FACE: Face = chatCompletion
