import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startTestAdmin } from '../helpers/admin.ts'
import { createTestReport } from '../helpers/report.ts'

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

test('a token is asked for everything but health', async (t) => {
  const token = 'päss:word'
  const { url } = await startTestAdmin(t, createTestReport(t), { token })
  for (const path of ['/', '/metrics', '/anything']) {
    const refused = await ask(url + path)
    assert.equal(refused.status, 401, path)
    assert.match(String(refused.headers['www-authenticate']), /^Basic realm=/)
    assert.ok(!refused.body.includes(token))
    for (const authorization of [
      'Bearer wrong',
      `Basic ${token}`,
      basic('x', 'wrong'),
      'Bearer',
      token,
      'Digest a=b',
    ]) {
      const wrong = await ask(url + path, { headers: { authorization: Buffer.from(authorization).toString('latin1') } })
      assert.equal(wrong.status, 401, authorization)
    }
  }
  assert.equal((await ask(`${url}/metrics`, { headers: { authorization: basic('anyone', token) } })).status, 200)
  for (const path of ['/healthz', '/readyz', '/healthz?x']) assert.equal((await ask(url + path)).status, 200)
})

test('the token may come as Bearer', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t), { token: 'secret' })
  assert.equal((await ask(`${url}/metrics`, { headers: { authorization: 'Bearer secret' } })).status, 200)
  assert.equal((await ask(`${url}/metrics`, { headers: { authorization: 'bearer secret' } })).status, 200)
  assert.equal((await ask(`${url}/metrics`, { method: 'HEAD' })).status, 401)
})

test('on loopback only loopback names are answered', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t))
  for (const host of ['evil.example', 'evil.example:9484', '127.0.0.1.evil.example', '10.0.0.1', '[::2]:80']) {
    const answer = await ask(`${url}/metrics`, { headers: { host } })
    assert.equal(answer.status, 421, host)
    assert.equal(JSON.parse(answer.body).error.code, 'misdirected_request')
  }
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:9484', '127.8.8.8', '[::1]:9484', 'a.localhost']) {
    assert.equal((await ask(`${url}/metrics`, { headers: { host } })).status, 200, host)
  }
})

test('off loopback any name is answered: it is reached by names that nobody here can know', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t), { host: '0.0.0.0' })
  const answer = await ask(url.replace('0.0.0.0', '127.0.0.1'), { headers: { host: 'streamgauge.internal:9484' } })
  assert.equal(answer.status, 200)
})
