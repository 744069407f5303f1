import type { Module } from '../../module.ts'
import { adminAdvertisingRoutes, advertisingRoutes } from './routes.ts'
import { readBootAdvertisements } from './service.ts'

export const module: Module = {
  routes: () => [advertisingRoutes, adminAdvertisingRoutes],
  offers: { findBootAdvertisements: readBootAdvertisements },
}
