raise SystemExit('planted')
