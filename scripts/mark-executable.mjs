import { chmodSync } from 'node:fs'

chmodSync(new URL('../dist/src/main.js', import.meta.url), 0o755)
