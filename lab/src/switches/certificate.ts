/*
 * A certificate for 127.0.0.1 that signs itself, for devices of the lab that speak TLS. Its key is public:
 * it protects nothing, and nothing outside the lab trusts it.
 */

/** The lab's certificate, in PEM. */
export const labCertificate = `-----BEGIN CERTIFICATE-----
MIIBaTCCAQ+gAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApsYWIgc3dp
dGNoMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApsYWIgc3dpdGNoMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPq79cL4bCIn/
N2Nmqo+RO+eDOFClxu0Sl6QHhMnZnuiIojFk79J6yDSofpfH49qeSN60S2BdJqmI
m7Gp/K423qNOMEwwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABggls
b2NhbGhvc3QwHQYDVR0OBBYEFO1IyYkd+prrWXYyn4d0JZ94FA9nMAoGCCqGSM49
BAMCA0gAMEUCIQDeTO5RsWzQtNJywa8AUFm+bP6wS2g1zal4iIsX47eHoAIgOjcz
h6672kvsfFrfyc6eUaIwnau0zUXh3RPpv9L9VKs=
-----END CERTIFICATE-----
`;

/** Its key, in PEM. */
export const labKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAqMhxkkHjnprVNm+
Az18EdwPbPHANJj33J3+Vb9ejMChRANCAAQ+rv1wvhsIif83Y2aqj5E754M4UKXG
7RKXpAeEydme6IiiMWTv0nrINKh+l8fj2p5I3rRLYF0mqYibsan8rjbe
-----END PRIVATE KEY-----
`;

/** Its SHA-256 fingerprint, as openssl shows it. */
export const labFingerprint =
  '04:9F:36:E7:E9:B9:22:32:7F:99:96:EF:F2:85:28:1D:8B:74:FE:C5:D8:F1:91:25:22:89:E9:1D:14:AE:78:95';
