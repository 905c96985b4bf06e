import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './temporary-folder.ts'

export interface Identity {
  readonly key: string
  readonly cert: string
}

/** A private authority and what it certified, in a folder that is gone after the test. */
export interface Authority {
  /** Path of its certificate. */
  readonly file: string
  readonly certificate: string
  /** @param names as in a subjectAltName: `DNS:localhost`, `IP:127.0.0.1` */
  issue(names: string, validity?: { readonly from: string; readonly to: string }): Identity
}

const years = { from: '20200101000000Z', to: '20991231235959Z' }
/** Long past. */
export const expired = { from: '20200101000000Z', to: '20210101000000Z' }

function openssl(folder: string, ...words: string[]): void {
  execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Needs the program openssl. */
export function createAuthority(t: TestContext): Authority {
  const folder = temporaryFolder(t)
  let serial = 0
  mkdirSync(join(folder, 'issued'))
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'index.txt.attr'), 'unique_subject = no\n')
  writeFileSync(
    join(folder, 'ca.cnf'),
    `[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = issued
rand_serial = yes
default_md = sha256
policy = any
certificate = ca.pem
private_key = ca.key
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
`,
  )
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    folder,
    ...['req', '-x509', '-config', 'ca.cnf', '-extensions', 'authority', ...curve, '-days', '36500'],
    ...['-subj', '/CN=A private authority', '-keyout', 'ca.key', '-out', 'ca.pem'],
  )
  return {
    file: join(folder, 'ca.pem'),
    certificate: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    issue(names, validity = years) {
      const name = `server-${serial++}`
      openssl(
        folder,
        'req',
        '-config',
        'ca.cnf',
        '-new',
        ...curve,
        '-subj',
        `/CN=${name}`,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
      )
      writeFileSync(join(folder, `${name}.ext`), `subjectAltName = ${names}\n`)
      openssl(
        folder,
        ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-extfile', `${name}.ext`, '-in', `${name}.csr`],
        ...['-startdate', validity.from, '-enddate', validity.to, '-out', `${name}.pem`],
      )
      return {
        key: readFileSync(join(folder, `${name}.key`), 'utf8'),
        cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
      }
    },
  }
}

/** A certificate that nobody but its own key signed. */
export function selfSigned(t: TestContext, names: string): Identity {
  const folder = temporaryFolder(t)
  openssl(
    folder,
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650'],
    ...['-subj', '/CN=self', '-addext', `subjectAltName = ${names}`, '-keyout', 'key.pem', '-out', 'cert.pem'],
  )
  return {
    key: readFileSync(join(folder, 'key.pem'), 'utf8'),
    cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
  }
}
