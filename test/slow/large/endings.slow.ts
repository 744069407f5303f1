process.env.KITH_ENDINGS_STEPS = '2000'
await import('#test/endings-property.test.ts')
