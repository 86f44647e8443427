import type { PictureStore } from './pictures/picture-store.ts'

const ADDRESS = /^\/sandbox\/pictures\/([\w-]+)\.png$/

export function pictureAddress(name: string): string {
  return `/sandbox/pictures/${name}.png`
}

/** The name in such an address; null when it is none. */
export function readPictureAddress(path: string): string | null {
  return ADDRESS.exec(path)?.[1] ?? null
}

/** No key is asked for: whoever knows the address was given it. */
export function servePicture(name: string, store: PictureStore): Response {
  const png = store.find(name)
  if (png === null) return new Response(null, { status: 404 })
  return new Response(png, { headers: { 'content-type': 'image/png' } })
}
