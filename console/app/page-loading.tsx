import { Center, Loader } from '@mantine/core'

export function PageLoading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader type="dots" />
    </Center>
  )
}
