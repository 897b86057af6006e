import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { reloadWhenOutdated } from './layout/reload-when-outdated.ts'
import { router } from './router.tsx'
import { queries } from './session/queries.ts'
import { applyTheme, readTheme } from './theme.ts'
import { Toasts } from './ui/toasts.tsx'
import './theme.css'

// Dialogs lock scrolling with a style element, which our policy only accepts with a nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
if (nonce !== undefined) setNonce(nonce)

applyTheme(readTheme())
reloadWhenOutdated()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has a root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
