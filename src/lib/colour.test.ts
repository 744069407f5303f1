import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accentTokens, contrast, SURFACES } from './colour.ts'

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('computes the contrast of WCAG 2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#777777'), 1)
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
})

test('keeps an accent that is readable in a theme', () => {
  assert.equal(accentTokens('#0b7468').light.accent, '#0b7468')
  assert.equal(accentTokens('#5fd0c0').dark.accent, '#5fd0c0')
})

test('corrects every accent until its text is readable in both themes', () => {
  fc.assert(
    fc.property(hex, (chosen) => {
      for (const [theme, { accent, strong, on, soft }] of Object.entries(accentTokens(chosen))) {
        for (const surface of [...SURFACES[theme as 'light' | 'dark'], soft, on])
          assert.ok(contrast(accent, surface) >= 4.5, `${chosen} ${theme}: ${accent} on ${surface}`)
        assert.ok(contrast(strong, soft) >= 4.5, `${chosen} ${theme}: ${strong} on ${soft}`)
        assert.ok(contrast(on, strong) >= 4.5, `${chosen} ${theme}: ${on} on ${strong}`)
      }
    }),
    { numRuns: 500 },
  )
})
