import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, parse, split } from '../src/index.js'

test('formats cents', () => {
  assert.equal(format(1234), '12.34')
})

test('parses amounts', () => {
  assert.equal(parse('12.3'), 1230)
  assert.throws(() => parse('twelve'), TypeError)
})

test('splits evenly', () => {
  assert.deepEqual(split(90, 3), [30, 30, 30])
})

test('splits without losing a cent', () => {
  assert.deepEqual(split(100, 3), [34, 33, 33])
})
