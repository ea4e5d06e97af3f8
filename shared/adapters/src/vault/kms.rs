//! The vault on AWS: the key never leaves KMS.

use super::{Vault, VaultError, require_short};
use async_trait::async_trait;
use aws_sdk_kms::error::SdkError;
use aws_sdk_kms::operation::decrypt::DecryptError;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::{Client, Config};
use std::fmt;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// The name of the context in KMS's encryption context, and so in the audit trail.
const CONTEXT: &str = "boxoffice";

/// Seals with a symmetric key of KMS. The client is made for the first secret.
#[derive(Clone)]
pub struct KmsVault {
    config: Config,
    client: OnceLock<Client>,
    key_id: String,
}

impl KmsVault {
    /// A vault with the key of this id, ARN or alias, which the environment gives.
    #[must_use]
    pub fn new(config: Config, key_id: impl Into<String>) -> Self {
        Self { config, client: OnceLock::new(), key_id: key_id.into() }
    }

    fn client(&self) -> &Client {
        self.client.get_or_init(|| Client::from_conf(self.config.clone()))
    }
}

#[async_trait]
impl Vault for KmsVault {
    async fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        require_short(plain)?;
        let answer = self
            .client()
            .encrypt()
            .key_id(&self.key_id)
            .encryption_context(CONTEXT, context)
            .plaintext(Blob::new(plain))
            .send()
            .await
            .map_err(unanswered)?;
        answer.ciphertext_blob.map(Blob::into_inner).ok_or_else(|| unanswered("KMS sent no ciphertext"))
    }

    async fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let sent = self
            .client()
            .decrypt()
            .key_id(&self.key_id)
            .encryption_context(CONTEXT, context)
            .ciphertext_blob(Blob::new(sealed))
            .send()
            .await;
        match sent {
            Ok(answer) => answer
                .plaintext
                .map(|plain| Zeroizing::new(plain.into_inner()))
                .ok_or_else(|| unanswered("KMS sent no plaintext")),
            Err(error) if is_not_ours(&error) => Err(VaultError::NotOurs),
            Err(error) => Err(unanswered(error)),
        }
    }
}

fn is_not_ours<R>(error: &SdkError<DecryptError, R>) -> bool {
    error
        .as_service_error()
        .is_some_and(|error| error.is_invalid_ciphertext_exception() || error.is_incorrect_key_exception())
}

fn unanswered(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> VaultError {
    VaultError::Unanswered(cause.into())
}

impl fmt::Debug for KmsVault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("KmsVault")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played::Played;
    use aws_sdk_kms::config::retry::RetryConfig;
    use aws_sdk_kms::config::{BehaviorVersion, Credentials, Region};
    use serde_json::json;

    fn vault(http: &Played) -> KmsVault {
        let config = aws_sdk_kms::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .retry_config(RetryConfig::disabled())
            .http_client(http.clone())
            .build();
        KmsVault::new(config, "alias/boxoffice")
    }

    #[tokio::test]
    async fn sealing_asks_kms_under_the_context() {
        let http = Played::new(200, r#"{"CiphertextBlob":"c2VhbGVk","KeyId":"k"}"#);
        assert_eq!(vault(&http).seal("merchant/60417/ssn", b"plain").await.unwrap(), b"sealed");
        let [request] = <[_; 1]>::try_from(http.requests()).unwrap();
        assert_eq!(request.operation, "TrentService.Encrypt");
        assert_eq!(
            request.body,
            json!({
                "KeyId": "alias/boxoffice",
                "Plaintext": "cGxhaW4=",
                "EncryptionContext": {"boxoffice": "merchant/60417/ssn"},
            })
        );
    }

    #[tokio::test]
    async fn opening_asks_kms_under_the_context() {
        let http = Played::new(200, r#"{"Plaintext":"cGxhaW4=","KeyId":"k"}"#);
        assert_eq!(**vault(&http).open("merchant/60417/ssn", b"sealed").await.unwrap(), *b"plain");
        let [request] = <[_; 1]>::try_from(http.requests()).unwrap();
        assert_eq!(request.operation, "TrentService.Decrypt");
        assert_eq!(
            request.body,
            json!({
                "KeyId": "alias/boxoffice",
                "CiphertextBlob": "c2VhbGVk",
                "EncryptionContext": {"boxoffice": "merchant/60417/ssn"},
            })
        );
    }

    #[tokio::test]
    async fn a_wrong_context_or_key_is_told_from_a_service_in_trouble() {
        for (answer, not_ours) in [
            (r#"{"__type":"InvalidCiphertextException"}"#, true),
            (r#"{"__type":"IncorrectKeyException"}"#, true),
            (r#"{"__type":"ThrottlingException"}"#, false),
            (r#"{"__type":"DisabledException"}"#, false),
        ] {
            let error = vault(&Played::new(400, answer)).open("c", b"sealed").await.unwrap_err();
            assert_eq!(matches!(error, VaultError::NotOurs), not_ours, "{answer}: {error:?}");
            assert_eq!(matches!(error, VaultError::Unanswered(_)), !not_ours, "{answer}: {error:?}");
        }
    }

    #[tokio::test]
    async fn what_is_too_long_never_reaches_kms() {
        let http = Played::new(200, "{}");
        let error = vault(&http).seal("c", &[0; 4097]).await.unwrap_err();
        assert!(matches!(error, VaultError::TooLong { bytes: 4097 }), "{error:?}");
        assert!(http.requests().is_empty());
    }
}
