// Removes what was built: a file whose source is gone would otherwise stay, and be packed.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
