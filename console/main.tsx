import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './app/query-client.ts'
import { router } from './app/router.tsx'
import { Notices } from './app/shell/notices.tsx'
import { cssVariables, theme } from './app/theme.ts'

// The content security policy allows only style elements with the nonce of this response.
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? ''
// react-remove-scroll reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce })
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element for the console.')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notices />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
