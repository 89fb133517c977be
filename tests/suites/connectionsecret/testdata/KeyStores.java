import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Logs in to a broker of Kafka with a key store, or none, and truststore.p12, and prints how it answers ApiVersions, the first request of each client. */
class KeyStores {
    public static void main(String[] args) throws Exception {
        var password = System.getenv("KEYSTORE_PASSWORD").toCharArray();
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(args.length > 0 ? read(args[0], password) : null, password);
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(read("truststore.p12", password));
        var tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        var broker = System.getenv("KAFKA_BROKERS").split(":");
        try (var socket = (SSLSocket) tls.getSocketFactory().createSocket(broker[0], Integer.parseInt(broker[1]))) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            System.out.println(ask(socket));
        }
    }

    private static String ask(SSLSocket socket) {
        try {
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(10); // bytes
            out.writeShort(18); // ApiVersions
            out.writeShort(0);
            out.writeInt(7); // which the answer repeats
            out.writeShort(-1); // no name of the client
            var in = new DataInputStream(socket.getInputStream());
            in.readInt();
            return "answer " + in.readInt() + ", error " + in.readShort();
        } catch (IOException e) {
            return "refused"; // an alert, or the end of the connection before it
        }
    }

    private static KeyStore read(String name, char[] password) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        try (var file = new FileInputStream(name)) {
            store.load(file, password);
        }
        return store;
    }
}
