/** Starts the console: reads the session, then shows the screen of the address. */
import { render } from 'preact'
import { App, start } from './app.tsx'

const root = document.getElementById('console')
if (root) render(<App />, root)
await start()
