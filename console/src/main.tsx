import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './look/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { tellStyleNonce } from './look/nonce.ts'
import { startTexts } from './text/start.ts'

tellStyleNonce()
startTexts()
const place = document.getElementById('app')
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
