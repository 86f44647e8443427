import { FileInput, Stack } from '@mantine/core'
import { IconPhotoUp } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { MaskCanvas } from './mask-canvas.tsx'

export interface EditSourceProps {
  readonly source: Blob | null
  readonly onSource: (source: Blob | null) => void
  readonly onMask: (mask: Blob | null) => void
}

/** The picture to be changed, and where. */
export function EditSource({ source, onSource, onMask }: EditSourceProps) {
  const { image, error } = useBitmap(source)
  return (
    <Stack gap="sm">
      <FileInput
        label="Picture to edit"
        description="PNG, JPEG or WebP from this device, or press Edit under one that was generated."
        placeholder={
          source !== null && !(source instanceof File) ? 'The generated picture' : 'Choose a picture'
        }
        leftSection={<IconPhotoUp size={16} aria-hidden />}
        accept="image/png,image/jpeg,image/webp"
        clearable
        clearButtonProps={{ 'aria-label': 'Take the picture away' }}
        value={source instanceof File ? source : null}
        onChange={onSource}
      />
      <ErrorNotice error={error} />
      {image !== null && <MaskCanvas image={image} onMask={onMask} />}
    </Stack>
  )
}

interface Bitmap {
  readonly image: ImageBitmap | null
  readonly error: Error | null
}

const NO_BITMAP: Bitmap = { image: null, error: null }

function useBitmap(source: Blob | null): Bitmap {
  const [bitmap, setBitmap] = useState(NO_BITMAP)
  useEffect(() => {
    setBitmap(NO_BITMAP)
    if (source === null) return
    let isCurrent = true
    createImageBitmap(source).then(
      (image) => isCurrent && setBitmap({ image, error: null }),
      () =>
        isCurrent &&
        setBitmap({
          image: null,
          error: new Error('This file is no picture that can be read. Choose another.'),
        }),
    )
    return () => {
      isCurrent = false
    }
  }, [source])
  return bitmap
}
